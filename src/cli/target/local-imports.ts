import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ImportFilter } from '../../api/imports.ts';
import type { TagChanges } from '../../api/tags.ts';
import { asFlag } from '../../errors/named-options.ts';
import { type ImportRecord, openCatalog, tagsOf, uncheckedOptions } from '../../imports/catalog.ts';
import { askRegions, askToAct, askToTag, whenLeft } from '../../imports/life/control-socket.ts';
import { hasLedger } from '../../imports/lost-ledger.ts';
import { optionsToAgree, reasonFor } from '../../imports/reason.ts';
import { type ImportReader, openImportReader } from '../../imports/report/import-reader.ts';
import { kindOf } from '../../membership/import-kind.ts';
import { LOOKUP_NAMES, LOOKUPS } from '../../options/lookups.ts';
import type { Config } from '../../platform/config.ts';
import { type DataDir, dataDir, emptyPlace, ownDataDir } from '../../platform/data-dir.ts';
import { VERSION } from '../../platform/package-folder.ts';
import { isObject } from '../../platform/stored-json.ts';
import { inShort } from '../../text/wording.ts';
import type { noteCommand } from '../audit.ts';
import type { FilterTexts } from '../flags/list-flags.ts';
import { shortest, typedCommand } from '../typed-command.ts';
import { UsageError } from '../usage-error.ts';
import { findDelivery, findImport, findingsOf, listImports, summaryIn } from './kept-imports.ts';
import type { Imports } from './target-imports.ts';

/** Time that a process gets to answer, in ms. */
const APPEAR_MS = 8_000;

/** The imports of a data directory, no matter which process runs them. */
export function localImports(config: Config): Imports {
  const dir = dataDir(config.dataDir);
  const find = (id: string | undefined) => findImport(config.dataDir, id);
  const note = async (action: Parameters<typeof noteCommand>[1], id: string, changes: object = {}) =>
    (await import('../audit.ts')).noteCommand(dir, action, id, inShort(changes));
  return {
    server: undefined,
    unattended: false,
    place: () => emptyPlace(dir),
    saySendsTo: async () => {},
    list: async (limit, texts) => {
      const filter = texts === undefined ? {} : await parsedFilter(texts);
      return listImports(config.dataDir, limit, filter).map((record) => ({
        ...summaryIn(dir, record),
        createdAt: new Date(record.createdAt).toISOString(),
        createdBy: record.createdBy,
        kind: kindOf(record),
        tags: tagsOf(record),
      }));
    },
    tag: async (id, changes) => {
      const before = find(id);
      const record = await askToTag(dir, id, changes);
      const tags = record === undefined ? await changeTags(dir, before, changes) : tagsOf(record);
      await note('import.tag', id, changes);
      return { tags };
    },
    find: async (id) => {
      const record = find(id);
      const { sandbox, shape } = uncheckedOptions(record);
      return {
        ...{ ...record, ...optionsToAgree(record), reason: reasonFor(record, asFlag), sandbox: sandbox === true },
        delivery: findDelivery(config.dataDir, record),
        fileOfChanges: isObject(shape) && shape['actions'] !== undefined,
      };
    },
    findings: async ({ id }) => findingsOf(dir, find(id)),
    regions: () => askRegions(dir),
    act: async (id, verb, changes) => {
      const answer = await askToAct(dir, id, verb, changes);
      if (answer !== undefined) await note(`import.${verb}`, id, changes);
      return answer;
    },
    watch: (id) => {
      let reader: ImportReader | undefined;
      return {
        look: async () => {
          // There is no ledger while the input is read, or if it was refused.
          if (reader === undefined && existsSync(dir.ledger(id))) reader = openImportReader(dir.ledger(id));
          const { state } = find(id);
          return { state, counters: reader?.counters(), staging: undefined, regions: await askRegions(dir) };
        },
        patienceMs: APPEAR_MS,
        close: () => reader?.close(),
      };
    },
    report: async ({ id, state, reason }, request) => {
      if (!hasLedger(find(id), dir.ledger(id))) {
        throw new UsageError(`import ${id} is ${state} and has no rows to report: ${reason}`);
      }
      const summary = summaryIn(dir, find(id));
      const { reportPieces } = await import('../../imports/report/report-files.ts');
      return (async function* () {
        const reader = openImportReader(dir.ledger(id));
        try {
          yield* reportPieces(reader, { ...request, summary, version: VERSION });
        } finally {
          reader.close();
        }
      })();
    },
    command: (...words) => typedCommand(config, ...words),
    folder: (id) => shortest(dir.folder(id)),
    files: ({ id, reports }) =>
      present([
        ['every row', reports.all],
        ['needs attention', reports.failed],
        ['to import again', reports.retry],
        ...LOOKUP_NAMES.map((name) => {
          const { field, unknown } = LOOKUPS[name];
          return [`${field.toUpperCase()}s to fill in`, existingFile(join(dir.folder(id), unknown))] as const;
        }),
      ]).map(([what, path]) => [what, shortest(path)]),
  };
}

/**
 * Changes a catalog of a data directory that no process works with: this one owns it for a moment.
 * @throws DataDirInUse
 */
export async function changeCatalog<Catalog extends { close(): void }, Result>(
  dir: DataDir,
  open: (path: string) => Catalog,
  change: (catalog: Catalog) => Result | Promise<Result>,
): Promise<Result> {
  const release = await whenLeft(dir, () => ownDataDir(dir));
  try {
    const catalog = open(dir.catalog);
    try {
      return await change(catalog);
    } finally {
      catalog.close();
    }
  } finally {
    release();
  }
}

/** No process runs imports: this one owns the data directory for a moment. */
async function changeTags(dir: DataDir, { id }: ImportRecord, changes: TagChanges): Promise<readonly string[]> {
  const { tagsAfter } = await import('../../api/tags.ts');
  return changeCatalog(dir, openCatalog, (catalog) => {
    const tags = tagsAfter(tagsOf(catalog.find(id) ?? { tags: '[]' }), changes);
    catalog.setTags(id, JSON.stringify(tags));
    return tags;
  });
}

async function parsedFilter(texts: FilterTexts): Promise<ImportFilter> {
  const { importFilter } = await import('../../api/imports.ts');
  return importFilter.parse(texts);
}

function existingFile(path: string): string | null {
  return existsSync(path) ? path : null;
}

/** The files that exist. */
export function present<What>(files: readonly (readonly [What, string | null])[]): (readonly [What, string])[] {
  return files.flatMap(([what, where]) => (where === null ? [] : [[what, where] as const]));
}
