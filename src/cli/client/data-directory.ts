import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TagChanges } from '../../api/tags.ts';
import { askOwner, askRegions, whenLeft } from '../../app/owner-socket.ts';
import { asFlag } from '../../errors/named-options.ts';
import { type CatalogReader, openCatalog, tagsOf } from '../../imports/catalog.ts';
import { hasLedger } from '../../imports/lost-ledger.ts';
import { reasonFor } from '../../imports/reason.ts';
import { openImportReader } from '../../imports/report/import-reader.ts';
import { importView, type ViewSources } from '../../imports/report/import-view.ts';
import { LOOKUP_NAMES, LOOKUPS } from '../../options/lookups.ts';
import type { Config } from '../../platform/config.ts';
import { type DataDir, dataDir, emptyPlace, ownDataDir } from '../../platform/data-dir.ts';
import { VERSION } from '../../platform/package-folder.ts';
import { inShort } from '../../text/wording.ts';
import type { noteCommand } from '../audit.ts';
import { currentUser } from '../current-user.ts';
import { shortest, typedCommand } from '../typed-command.ts';
import { UsageError } from '../usage-error.ts';
import { type Files, type Imports, importsIn, type Place } from './import-place.ts';
import { countedTotals, findImport, openKept, problemsOf, summaryOfKept } from './kept-imports.ts';
import { ServerRefused } from './server-errors.ts';

/** The imports of a data directory, no matter which process runs them. */
export function localImports(config: Config): Imports {
  return importsIn(dataDirectory(config));
}

function dataDirectory(config: Config): Place {
  const dir = dataDir(config.dataDir);
  const find = (id: string) => findImport(config.dataDir, id);
  const note = async (action: Parameters<typeof noteCommand>[1], id: string, changes: object = {}) =>
    (await import('../audit.ts')).noteCommand(dir, action, id, inShort(changes));
  return {
    server: undefined,
    place: () => emptyPlace(dir),
    command: (...words) => typedCommand(config, ...words),
    folder: (id) => shortest(dir.folder(id)),
    files: ({ id, reports }) => {
      const files: Files = [
        ['every row', reports.all],
        ['needs attention', reports.failed],
        ['to import again', reports.retry],
        ['created', reports.created],
        ...LOOKUP_NAMES.map((name) => {
          const { field, unknown } = LOOKUPS[name];
          return [`${field.toUpperCase()}s to fill in`, existingFile(join(dir.folder(id), unknown))] as const;
        }),
      ];
      return files.map(([what, path]) => [what, path && shortest(path)]);
    },
    saySendsTo: async () => {},
    newest: async (limit, texts) => {
      const filter = Object.keys(texts).length === 0 ? {} : await parsedFilter(texts);
      return viewing(dir, (catalog) => {
        const sources = sourcesOf(dir, catalog);
        return Promise.all(catalog.page({ ...filter, limit }).imports.map((record) => importView(record, sources)));
      });
    },
    one: async (id) => viewing(dir, (catalog) => importView(catalog.get(id), sourcesOf(dir, catalog))),
    problems: async (id) => problemsOf(dir, find(id)),
    report: async (id, request) => {
      const record = find(id);
      if (!hasLedger(record, dir.ledger(id))) {
        throw new UsageError(`import ${id} is ${record.state} and has no rows to report: ${reasonFor(record, asFlag)}`);
      }
      const summary = summaryOfKept(dir, record);
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
    tag: async (id, changes) => {
      find(id);
      const { importOperations } = await import('../../api/operations/import-operations.ts');
      const done = await askOwner(
        dir,
        importOperations.act,
        { action: 'tag', ids: [id], tags: changes },
        currentUser(),
      );
      const problem = done?.results[0]?.problem;
      if (problem !== undefined) throw ServerRefused.inSentences(problem.code, problem.detail, problem.remedy);
      if (done !== undefined) return;
      await changeTags(dir, id, changes);
      await note('import.tag', id, changes);
    },
    regions: () => askRegions(dir),
    act: async (id, verb, changes = {}) => {
      const [{ importOperations }, { textsOf }, { ANSWERING }] = await Promise.all([
        import('../../api/operations/import-operations.ts'),
        import('../../options/option.ts'),
        import('../../options/sending-options.ts'),
      ]);
      const texts = Object.fromEntries(textsOf(ANSWERING, changes));
      return askOwner(dir, importOperations[verb], { ...texts, id }, currentUser());
    },
  };
}

export async function viewing<Result>(
  dir: DataDir,
  read: (catalog: CatalogReader) => Promise<Result>,
): Promise<Result> {
  const catalog = openKept(dir);
  try {
    return await read(catalog);
  } finally {
    catalog.close();
  }
}

export function sourcesOf(dir: DataDir, catalog: CatalogReader): ViewSources {
  return {
    catalog,
    folder: dir.folder,
    totals: (record) => countedTotals(dir, record),
    // Only the process that reads the file knows.
    staging: () => null,
    reports: (_, written) => written,
    write: asFlag,
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
async function changeTags(dir: DataDir, id: string, changes: TagChanges): Promise<void> {
  const { tagsAfter } = await import('../../api/tags.ts');
  await changeCatalog(dir, openCatalog, (catalog) =>
    catalog.setTags(id, JSON.stringify(tagsAfter(tagsOf(catalog.get(id)), changes))),
  );
}

async function parsedFilter(texts: object) {
  const { importFilter } = await import('../../api/imports.ts');
  return importFilter.parse(texts);
}

function existingFile(path: string): string | null {
  return existsSync(path) ? path : null;
}
