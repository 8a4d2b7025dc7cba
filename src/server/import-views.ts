import { existsSync } from 'node:fs';
import type { ImportView } from '../api/imports.ts';
import { asFlag, asParameter } from '../errors/named-options.ts';
import type { ImportRecord } from '../imports/catalog.ts';
import { correctionsFile } from '../imports/corrected-rows.ts';
import { checkFiles } from '../imports/predictions/row-check.ts';
import { importView, unreadable, type ViewSources } from '../imports/report/import-view.ts';
import { NEEDS_ATTENTION } from '../membership/outcome.ts';
import type { DataDir } from '../platform/data-dir.ts';

export interface ImportViews {
  of(record: ImportRecord): Promise<ImportView>;
}

/** Imports with their checks and corrections. @param shown a command gets flags and paths, a client addresses */
export function viewsFor(
  shown: 'command' | 'api',
  { dir, catalog, ...others }: Omit<ViewSources, 'reports' | 'write' | 'complete' | 'dir'> & { readonly dir: DataDir },
): ImportViews {
  const surface =
    shown === 'api'
      ? { write: asParameter, reports: addressesOf }
      : { write: asFlag, reports: (_: string, written: ImportView['reports']) => written };
  /** A check that cannot be read hides neither the edits of an import nor what can be done with it. */
  const readable = <Found>(read: () => Found) => {
    try {
      return read();
    } catch (error) {
      unreadable(error, others);
      return undefined;
    }
  };
  const complete: ViewSources['complete'] = async (record, own) => {
    const folder = dir.folder(record.id);
    // These modules are loaded only for an import that was checked or whose rows were listed.
    if (!existsSync(checkFiles(folder).check) && !existsSync(correctionsFile(folder))) return own;
    const [{ checkFacts, checkOf }, { viewWithCorrections }] = await Promise.all([
      import('../features/check/check-view.ts'),
      import('../features/correct/corrections.ts'),
    ]);
    const check = readable(() => checkOf(folder));
    const { refused, ...facts } = await checkFacts(check, folder, record.state, own.rows.skipped);
    return { ...(await viewWithCorrections(dir, catalog, record, own, refused)), ...facts };
  };
  return { of: (record) => importView(record, { ...others, ...surface, dir, catalog, complete }) };
}

function addressesOf(id: string, { all, failed, retry, created }: ImportView['reports']): ImportView['reports'] {
  const address = (query: string) => `/v1/imports/${id}/report?${query}`;
  return {
    all: all && address('format=csv'),
    failed: failed && address(`format=csv&status=${[...NEEDS_ATTENTION].join(',')}`),
    retry: retry && address('retryable=true'),
    created: created && `/v1/imports/${id}/created`,
  };
}
