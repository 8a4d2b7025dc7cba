import { userInfo } from 'node:os';
import { addAbortSignal, Readable } from 'node:stream';
import type { z } from 'zod';
import { summaryIn } from '../../api/import-summary.ts';
import { importOperations } from '../../api/imports.ts';
import type { Operation } from '../../api/operation.ts';
import { rowOperations } from '../../api/rows.ts';
import { eventOperations, serviceOperations } from '../../api/service.ts';
import type { App } from '../../app/app.ts';
import { askOwner, replyOf, whenLeft } from '../../app/owner-socket.ts';
import { asFlag } from '../../errors/named-options.ts';
import { isError, RollcallError } from '../../errors/rollcall-error.ts';
import { type CatalogReader, type ImportRecord, openCatalog } from '../../imports/catalog.ts';
import { hasLedger, hasRows } from '../../imports/lost-ledger.ts';
import { reasonFor } from '../../imports/reason-codes.ts';
import { openImportReader } from '../../imports/report/import-reader.ts';
import { type DataDir, ownDataDir } from '../../platform/data-dir.ts';
import { type AccessStore, openAccessStore } from '../../server/access/access-store.ts';
import { importReading, problemViews, wantedBy } from '../../server/import-reading.ts';
import { type Asked, type Handled, handled, performGiven } from '../../server/perform.ts';
import { keptView, openKept } from './kept-imports.ts';
import type { Client } from './operation-client.ts';

/** Does the operations that have a handler in this process, as a server does them. @throws Problem BAD_OPTION */
export function clientOf(all: readonly Handled[], here: Here): Client {
  const asked = askedHere(here);
  const perform = async (operation: Operation, input: object): Promise<unknown> => {
    const found = all.flat().find((one) => one.operation === operation);
    // Only an owner does it.
    if (found === undefined) throw new RollcallError('NO_OWNER', {});
    return performGiven(operation, found.handler, input, asked);
  };
  const download = async (operation: Operation, input: object, signal?: AbortSignal) => {
    const pieces = await perform(operation, input);
    return signal !== undefined && pieces instanceof Readable ? addAbortSignal(signal, pieces) : pieces;
  };
  // Their types are those of their declarations.
  return { call: perform, download } as unknown as Client;
}

/** Has the process that owns a data directory do operations. @throws NO_OWNER where there is none any more; as it refuses */
export function ownerClient(dir: DataDir): Client {
  return {
    call: (operation, input) => askOwner(dir, operation, input as object, currentUser()),
    download: (operation, input, signal) => replyOf(dir, operation, input as object, currentUser(), signal),
  };
}

/** Questions that only the process with the answer can be asked. */
const OF_OWNER: ReadonlySet<Operation> = new Set<Operation>([eventOperations.lists, serviceOperations.regions]);

/**
 * Does operations about a data directory: the process that owns it, if there is one, does those that change something.
 * @param here does one in this process, by the handlers that it gives to `perform`
 */
export function ownerElse(
  dir: DataDir,
  here: (
    operation: Operation,
    input: Readonly<Record<string, string>>,
    perform: (...all: readonly Handled[]) => Promise<unknown>,
  ) => Promise<unknown>,
): Client {
  const owner = ownerClient(dir);
  const call = async (operation: Operation & { readonly answer: z.ZodType }, input: object) => {
    const alone = () =>
      here(operation, input as never, (...all) => clientOf(all, { dir }).call(operation, input as never));
    if (OF_OWNER.has(operation)) return owner.call(operation, input as never);
    // Reading needs no owner, and one that only runs an import does not know it.
    if (operation.method === 'GET') return alone();
    try {
      return await owner.call(operation, input as never);
    } catch (error) {
      // Only an owner begins work: it has ended since it was found.
      if (!isError(error, 'NO_OWNER') || operation.status === 202) throw error;
      return alone();
    }
  };
  const download = (operation: Operation, input: object, signal?: AbortSignal) =>
    OF_OWNER.has(operation) ? owner.download(operation, input as never, signal) : call(operation as never, input);
  return { call, download } as unknown as Client;
}

export function currentUser() {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without a name.
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Name in the audit log (`GET /v1/audit`) for what commands do. */
export const atTerminal = () => ({ who: currentUser(), role: 'admin', address: 'command line' }) as const;

/** A data directory, and what this process sends to, if it runs imports. */
export interface Here extends Pick<App, 'dir'> {
  readonly coordinator?: Pick<App['coordinator'], 'sendsTo'>;
}

/** A person at a terminal of this machine, whose operations are noted in the log of the data directory. */
export function askedHere({ dir, coordinator }: Here, who = currentUser()): Asked {
  const note: AccessStore['note'] = (line) => {
    using access = openAccessStore(dir.access);
    access.note(line);
  };
  return { ...atTerminal(), who, access: { note }, sendsTo: coordinator?.sendsTo };
}

/** Reads imports in this process, even while another one runs them. What changes them is done by that process, or else here. */
export function clientOfDirectory(dir: DataDir): Client {
  return ownerElse(dir, async (operation, _, perform) => {
    if (operation.method === 'GET') {
      // Opened by its handler: a wrong filter is refused first, also where there is no catalog.
      let opened: CatalogReader | undefined;
      const catalog = () => {
        opened ??= openKept(dir);
        return opened;
      };
      return perform(...readingHandlers(dir, catalog)).finally(() => opened?.close());
    }
    return changeCatalog(dir, openCatalog, async (catalog) => {
      const { tagging } = await import('../../server/import-handlers.ts');
      return perform(handled(importOperations, tagging(catalog)));
    });
  });
}

function readingHandlers(dir: DataDir, catalog: () => CatalogReader) {
  const find = (id: string) => catalog().get(id);
  const view = (record: ImportRecord) => keptView(dir, catalog(), record);
  return [
    handled(
      importOperations,
      importReading({
        page: (...which) => catalog().page(...which),
        transitions: (id) => catalog().transitions(id),
        find,
        view,
      }),
    ),
    handled(rowOperations, {
      problems: async ({ id }) => {
        const record = find(id);
        // It is being read, or was rejected, or its state says that its ledger is lost.
        if (!hasRows(record, dir.ledger(id))) return { problems: [] };
        using reader = openImportReader(dir.ledger(id));
        return { problems: problemViews(reader.problems(), () => ({})) };
      },
      report: async ({ id, ...query }) => {
        const wanted = wantedBy(query);
        const record = find(id);
        if (!hasLedger(record, dir.ledger(id))) {
          throw new RollcallError('NO_ROWS_YET', { id, why: `it is ${record.state}: ${reasonFor(record, asFlag)}` });
        }
        const summary = summaryIn(await view(record));
        return (async function* () {
          const { reportPieces } = await import('../../imports/report/report-files.ts');
          using reader = openImportReader(dir.ledger(id));
          yield* reportPieces(reader, { ...wanted, summary });
        })();
      },
    }),
  ];
}

/** For a catalog that no process works with: this one owns it for a moment. @throws DATA_DIR_IN_USE */
export async function changeCatalog<Catalog extends Disposable, Result>(
  dir: DataDir,
  open: (path: string) => Catalog,
  change: (catalog: Catalog) => Result | Promise<Result>,
): Promise<Result> {
  using _owned = await whenLeft(dir, () => ownDataDir(dir));
  using catalog = open(dir.catalog);
  return await change(catalog);
}
