import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ImportSummary, ImportTotals } from '../../api/import-summary.ts';
import { importOperations } from '../../api/imports.ts';
import { type ProblemCount, rowOperations } from '../../api/rows.ts';
import { whenLeft } from '../../app/owner-socket.ts';
import { asFlag } from '../../errors/named-options.ts';
import { badUsage, RollcallError } from '../../errors/rollcall-error.ts';
import { type CatalogReader, type ImportRecord, openCatalog, openCatalogReader } from '../../imports/catalog.ts';
import { hasLedger, isLedgerLost } from '../../imports/lost-ledger.ts';
import { reasonFor } from '../../imports/reason-codes.ts';
import { isCatalogLost, rebuildCatalog } from '../../imports/rebuild-catalog.ts';
import { type ImportReader, openImportReader } from '../../imports/report/import-reader.ts';
import { importView, type ViewSources } from '../../imports/report/import-view.ts';
import { writtenReports } from '../../imports/report/report-paths.ts';
import { keptTotals, summaryOf, totalsOf } from '../../imports/report/summarize.ts';
import { isFinal } from '../../membership/import-state.ts';
import { LOOKUP_NAMES, LOOKUPS } from '../../options/lookups.ts';
import type { Config } from '../../platform/config.ts';
import { type DataDir, dataDir, emptyPlace, hasCatalog, ownDataDir } from '../../platform/data-dir.ts';
import { importReading, rowReading, type WantedReport } from '../../server/import-reading.ts';
import { handled } from '../../server/perform.ts';
import { shortest, typedCommand } from '../screen/io.ts';
import { type Files, type Imports, importsIn } from './import-place.ts';
import { askedHere, clientOf, ownerElse } from './local-client.ts';
import type { Client } from './operation-client.ts';

/** The imports of a data directory, no matter which process runs them. */
export function localImports(config: Config): Imports {
  const dir = dataDir(config.dataDir);
  return importsIn({
    server: undefined,
    client: clientOfDirectory(dir),
    limits: async () => config,
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
          const path = join(dir.folder(id), unknown);
          return [`${field.toUpperCase()}s to fill in`, existsSync(path) ? path : null] as const;
        }),
      ];
      return files.map(([what, path]) => [what, path && shortest(path)]);
    },
    saySendsTo: async () => {},
  });
}

/** Reads imports in this process, even while another one runs them. What changes them is done by that process, or else here. */
function clientOfDirectory(dir: DataDir): Client {
  const asked = askedHere({ dir });
  return ownerElse(dir, (operation, _, perform) => {
    if (operation.method === 'GET') {
      return viewing(dir, (catalog) => perform(clientOf(readingHandlers(dir, catalog), asked)));
    }
    return changeCatalog(dir, openCatalog, async (catalog) => {
      const { tagging } = await import('../../server/import-handlers.ts');
      return perform(clientOf([handled(importOperations, tagging(catalog))], asked));
    });
  });
}

function readingHandlers(dir: DataDir, catalog: CatalogReader) {
  const find = (id: string) => catalog.get(id);
  const view = (record: ImportRecord) => importView(record, sourcesOf(dir, catalog));
  return [
    handled(
      importOperations,
      importReading({ page: (...which) => catalog.page(...which), transitions: catalog.transitions, find, view }),
    ),
    handled(
      rowOperations,
      rowReading({
        problems: async (id) => problemsOf(dir, find(id)),
        report: (id, wanted) => reportOf(dir, find(id), wanted),
      }),
    ),
  ];
}

/** @throws BAD_USAGE where there are no rows */
function reportOf(dir: DataDir, record: ImportRecord, wanted: WantedReport) {
  const { id, state } = record;
  if (!hasLedger(record, dir.ledger(id))) {
    throw badUsage(`import ${id} is ${state} and has no rows to report: ${reasonFor(record, asFlag)}`);
  }
  const summary = summaryOfKept(dir, record);
  return (async function* () {
    const { reportPieces } = await import('../../imports/report/report-files.ts');
    using reader = openImportReader(dir.ledger(id));
    yield* reportPieces(reader, { ...wanted, summary });
  })();
}

/** @param staging known only to the process that reads a file */
export function sourcesOf(
  dir: DataDir,
  catalog: CatalogReader,
  staging: ViewSources['staging'] = () => null,
): ViewSources {
  return {
    catalog,
    folder: dir.folder,
    totals: (record) => countedTotals(dir, record),
    staging,
    reports: (_, written) => written,
    write: asFlag,
  };
}

/**
 * Changes a catalog of a data directory that no process works with: this one owns it for a moment.
 * @throws DATA_DIR_IN_USE
 */
export async function changeCatalog<Catalog extends Disposable, Result>(
  dir: DataDir,
  open: (path: string) => Catalog,
  change: (catalog: Catalog) => Result | Promise<Result>,
): Promise<Result> {
  using _owned = await whenLeft(dir, () => ownDataDir(dir));
  using catalog = open(dir.catalog);
  return await change(catalog);
}

/** Reads a data directory for commands, even while another process writes to it. */

export function noImports(dir: DataDir): RollcallError {
  return new RollcallError('NO_IMPORTS', { where: emptyPlace(dir), otherwise: 'directory with --data-dir' });
}

/** Opens the catalog, and makes it again where it is lost. */
function openKept(dir: DataDir) {
  if (isCatalogLost(dir)) rebuild(dir);
  if (!hasCatalog(dir)) throw noImports(dir);
  return openCatalogReader(dir.catalog);
}

/** Reads the catalog, even while another process writes to it. @throws NO_IMPORTS where there is none */
export async function viewing<Result>(
  dir: DataDir,
  read: (catalog: CatalogReader) => Result | Promise<Result>,
): Promise<Result> {
  using catalog = openKept(dir);
  return await read(catalog);
}

/** @throws DATA_DIR_IN_USE where a process works with the lost catalog */
export function rebuild(dir: DataDir) {
  using _owned = ownDataDir(dir);
  return rebuildCatalog(dir);
}

/**
 * Reads an import's ledger; undefined while it has none: it is being read, or was rejected; and where its state says that it
 * is lost. @throws LEDGER_MISSING, DAMAGED_LEDGER where it is lost
 */
function withLedger<Result>(dir: DataDir, record: ImportRecord, read: (reader: ImportReader) => Result) {
  const path = dir.ledger(record.id);
  if (isLedgerLost(record.code) || !hasLedger(record, path)) return undefined;
  using reader = openImportReader(path);
  return read(reader);
}

/** Its rows that need attention, by outcome and code. */
function problemsOf(dir: DataDir, record: ImportRecord): readonly ProblemCount[] {
  return withLedger(dir, record, (reader) => reader.problems()) ?? [];
}

/** Counts its rows and calls from its ledger. */
function countedTotals(dir: DataDir, record: ImportRecord): ImportTotals {
  const isOver = isFinal(record.state);
  const counted = withLedger(dir, record, (reader) => totalsOf(reader.counters(), isOver, reader.input()));
  return counted ?? totalsOf(new Map(), isOver);
}

/** The summary of an import; its ledger is opened only where its totals are not kept. */
function summaryOfKept(dir: DataDir, record: ImportRecord): ImportSummary {
  const totals = keptTotals(record) ?? countedTotals(dir, record);
  return summaryOf(record, totals, writtenReports(dir.folder(record.id)));
}
