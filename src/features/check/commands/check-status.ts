import { existsSync } from 'node:fs';
import type { ImportView } from '../../../api/imports.ts';
import type { Imports } from '../../../cli/client/imports.ts';
import { unless } from '../../../cli/client/operation-client.ts';
import type { Io } from '../../../cli/screen/io.ts';
import { checkFiles } from '../../../imports/predictions/row-check.ts';
import type { Config } from '../../../platform/config.ts';
import { dataDir } from '../../../platform/data-dir.ts';
import type { Checked } from './check-outcome.ts';

/** The check of an import; undefined if there is none. */
export async function checkedOf(
  config: Pick<Config, 'dataDir'>,
  { server, regions }: Pick<Imports, 'server' | 'regions'>,
  id: string,
): Promise<Checked | undefined> {
  const dir = dataDir(config.dataDir);
  const { check, rows, groups } = checkFiles(dir.folder(id));
  // The rest is loaded for imports that were checked: most were not.
  if (server === undefined && !existsSync(check)) return undefined;
  const [{ checkIn }, { checkOperations }] = await Promise.all([
    import('../check-view.ts'),
    import('../operations.ts'),
  ]);
  const found = server === undefined ? checkIn(dir, id) : server.call(checkOperations.one, { id });
  const view = await unless('NO_CHECK_YET', found);
  if (view === undefined) return undefined;
  if (server !== undefined) {
    const address = (list: string) => `${server.url}/v1/imports/${encodeURIComponent(id)}/check/${list}`;
    return { ...view, files: [address('rows'), address('groups')] };
  }
  // Only the process that makes it knows more.
  const underWay = view.state === 'running' && (await regions()) !== undefined;
  return { ...view, underWay, files: [rows, groups] };
}

/** Returns the check of an import that was not sent, for `status`; undefined if there is none. */
export async function checkStatus(config: Config, imports: Imports, { id, sandbox }: ImportView) {
  const checked = await checkedOf(config, imports, id);
  if (checked === undefined) return undefined;
  const { state, reason, calls, summary, underWay } = checked;
  const { concludeCheck } = await import('./check-outcome.ts');
  return {
    /** For programs, as the API shows it. */
    document: { state, underWay, reason, calls, summary },
    isDone: summary !== null,
    isUnderWay: underWay,
    /** Prints the result and the next steps. */
    conclude: (io: Io) => void concludeCheck({ io, imports, id, json: false, sandbox, checked }),
  };
}
