import { importOperations } from '../../api/imports.ts';
import { rowOperations } from '../../api/rows.ts';
import { whenLeft } from '../../app/owner-socket.ts';
import { asFlag } from '../../errors/named-options.ts';
import { badUsage } from '../../errors/rollcall-error.ts';
import { type CatalogReader, type ImportRecord, openCatalog } from '../../imports/catalog.ts';
import { hasLedger } from '../../imports/lost-ledger.ts';
import { reasonFor } from '../../imports/reason-codes.ts';
import { openImportReader } from '../../imports/report/import-reader.ts';
import { importView, type ViewSources } from '../../imports/report/import-view.ts';
import { type DataDir, ownDataDir } from '../../platform/data-dir.ts';
import { importReading, rowReading, type WantedReport } from '../../server/import-reading.ts';
import { handled } from '../../server/perform.ts';
import { countedTotals, problemsOf, summaryOfKept, viewing } from './kept-imports.ts';
import { askedHere, clientOf, ownerElse } from './local-client.ts';
import type { Client } from './operation-client.ts';

/** Reads imports in this process, even while another one runs them. What changes them is done by that process, or else here. */
export function clientOfDirectory(dir: DataDir): Client {
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
