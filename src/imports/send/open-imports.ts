import type { DataDir } from '../../platform/data-dir.ts';
import { missingLedger } from '../../platform/database-errors.ts';
import type { Catalog } from '../catalog.ts';
import { type ImportOptions, readOptions } from '../import-options.ts';
import { hasLedger } from '../lost-ledger.ts';
import type { StoppedRegion } from '../record/batch-result.ts';
import { type ImportLedger, openImportLedger } from '../record/import-ledger.ts';
import type { Recorder } from '../record/recorder.ts';
import type { RunningImport } from './dispatcher.ts';

export interface OpenImport {
  readonly ledger: ImportLedger;
  options: ImportOptions;
  running?: RunningImport;
  /** The last start of its sending, in ms since 1970. */
  runningSince: number;
  /** Its sending has stopped for now. */
  paused: boolean;
  /** This process has begun calls of it. */
  attended?: true;
  /** This process has recorded results of it. */
  progressed?: true;
  /** Its groups were asked what became of calls in flight. */
  restAsked?: true;
  /** Set when the import is to end before everything is sent. */
  ending?: 'aborted' | 'cancelled';
}

interface OpenImportsOptions {
  readonly dir: DataDir;
  readonly catalog: Pick<Catalog, 'get'>;
  readonly recorder: Pick<Recorder, 'open' | 'close'>;
  /** Workers end with the process that has the import. Those of other processes continue, and their results come. */
  readonly workersEnd: boolean;
  /** Called when an import's ledger could not record that a region has stopped. */
  readonly failed: (id: string, error: unknown) => void;
}

const COPIED = 'this ledger was restored or copied, and the original may have sent it since';
const ORPHANED = 'the process that sent it ended before an answer came';

export type OpenImports = ReturnType<typeof createOpenImports>;

/** The imports that this process works on: each has its ledger open, and its results are taken. */
export function createOpenImports({ dir, catalog, recorder, workersEnd, failed }: OpenImportsOptions) {
  const imports = new Map<string, OpenImport>();
  const dropping = new Map<string, Promise<void>>();

  /** Takes no more results of an import. */
  const leave = (id: string): OpenImport | undefined => {
    const opened = imports.get(id);
    recorder.close(id);
    imports.delete(id);
    return opened;
  };
  /** Resolves when an import that is being dropped is dropped. */
  const dropped = async (id: string): Promise<void> => dropping.get(id);

  return {
    all: imports as ReadonlyMap<string, OpenImport>,
    open: (id: string): OpenImport => {
      const known = imports.get(id);
      if (known !== undefined) return known;
      const record = catalog.get(id);
      if (!hasLedger(record, dir.ledger(id))) throw missingLedger(dir.ledger(id));
      const options = readOptions(record);
      const ledger = openImportLedger(dir.ledger(id), options.create);
      try {
        if (workersEnd) ledger.reclaimAll(ORPHANED);
        ledger.doubtCopy(dir.ledger(id), COPIED);
      } catch (error) {
        ledger.close();
        throw error;
      }
      const opened = { ledger, options, runningSince: 0, paused: true };
      imports.set(id, opened);
      recorder.open(id, ledger);
      return opened;
    },
    close: (id: string): void => {
      const opened = leave(id);
      if (opened !== undefined) shut(opened);
    },
    /** Drops an import after an unexpected error: nothing more of it is sent or recorded. Never rejects. */
    drop: (id: string): Promise<void> => {
      const opened = leave(id);
      if (opened === undefined) return dropped(id);
      opened.paused = true;
      const done = (async () => {
        await opened.running?.drop();
        shut(opened);
      })()
        // The fault was reported before.
        .catch(() => {})
        .finally(() => dropping.delete(id));
      dropping.set(id, done);
      return done;
    },
    dropped,
    allDropped: async (): Promise<void> => void (await Promise.all(dropping.values())),
    /** Imports share a region: when it stops for one, it stops for all. @param by the one that knows it already */
    stopRegion: (stopped: StoppedRegion, by: string): void => {
      for (const [id, { ledger, running }] of imports) {
        if (id === by || running === undefined || !ledger.regionsUsed().includes(stopped.region)) continue;
        try {
          ledger.stopRegion(stopped);
          running.stopRegion(stopped.region);
        } catch (error) {
          failed(id, error);
        }
      }
    },
  };
}

function shut(opened: OpenImport): void {
  opened.paused = true;
  opened.running?.close();
  opened.ledger.close();
}
