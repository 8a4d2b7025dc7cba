import type { RecordOutcomesPayload } from '../../../jobs/record-outcomes.ts';
import type { TakeAnswersPayload } from '../../../jobs/take-answers.ts';
import type { ImportState } from '../../membership/import-state.ts';
import type { Region } from '../../membership/membership.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { JobQueue } from '../../queue/job-queue.ts';
import type { ImportRecord, MoveImport } from '../catalog.ts';
import type { Recorder } from '../record/recorder.ts';
import type { RegionLine } from '../send/region.ts';
import type { EndState } from './closing.ts';
import type { FaultCode } from './faults.ts';

/** What the runner of imports needs from the coordinator. */
export interface RunnerOptions {
  readonly dir: DataDir;
  readonly find: (id: string) => ImportRecord;
  readonly move: MoveImport;
  readonly recorder: Recorder;
  readonly regions: ReadonlySet<Region>;
  /** Whether calls go to a sandbox. */
  readonly sandbox: boolean;
  /** Queue that brings results from other processes; undefined when all workers are in this one. */
  readonly outcomes: JobQueue<RecordOutcomesPayload> | undefined;
  /** Queue that brings what other processes have read; undefined as above. */
  readonly answers: JobQueue<TakeAnswersPayload> | undefined;
  readonly openLine: (region: Region) => Promise<RegionLine>;
  /** Of an import every row has its outcome. */
  readonly finish: (id: string, state: EndState, reason?: string) => void;
  readonly stateOf: (id: string) => ImportState | undefined;
  /** This process is at work on an import from now on. */
  readonly attend: (id: string) => void;
  /** The first results of an import in this process are recorded. */
  readonly progressed: (id: string) => void;
  /** Told of an error that ends one import. */
  readonly fault: (id: string, code: FaultCode, error: unknown) => void;
  /** Told of troubles that the queue mends by itself. */
  readonly onError: (error: Error) => void;
}
