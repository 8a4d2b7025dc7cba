import type { AskServicePayload } from '../../../jobs/ask-service.ts';
import type { BatchPayload } from '../../../jobs/batch-payload.ts';
import type { CallContext } from '../../../jobs/service-call.ts';
import type { CircuitStatus } from '../../api/region-status.ts';
import type { Rate } from '../../chat/rate-headers.ts';
import type { Region } from '../../membership/membership.ts';
import type { Outcome } from '../../membership/outcome.ts';
import type { JobRun } from '../../queue/job-definition.ts';
import type { CallRecord } from '../record/batch-result.ts';

/** Sees calls and outcomes, for metrics, the log and traces. Nothing depends on what it does. */
export interface CallObserver {
  /** The first start of a job, which was in the queue for `waitedMs`. */
  begun?(region: Region, waitedMs: number): void;
  called?(region: Region, call: CallRecord, rate: Rate | undefined, about: CallContext): void;
  /** This process has opened or closed a region's circuit: of all processes that share it, only one is told. */
  circuit?(region: Region, status: CircuitStatus): void;
  /** Rows that got this outcome. */
  settled?(region: Region, outcome: Outcome, rows: number): void;
  /** Wraps the function that sends a batch or reads a page. */
  around?(region: Region, run: ObservedRun, send: () => Promise<void>): Promise<void>;
}

/** A start of a job of a region's queue. */
type ObservedRun = Pick<JobRun<BatchPayload | AskServicePayload>, 'id' | 'payload' | 'attemptsMade'>;

/** Several observers as one. */
export function observers(...some: readonly (CallObserver | undefined)[]): Required<CallObserver> {
  const all = some.filter((one) => one !== undefined);
  const around = all.flatMap((one) => one.around?.bind(one) ?? []);
  return {
    begun: (region, waitedMs) => {
      for (const one of all) one.begun?.(region, waitedMs);
    },
    called: (region, call, rate, about) => {
      for (const one of all) one.called?.(region, call, rate, about);
    },
    circuit: (region, status) => {
      for (const one of all) one.circuit?.(region, status);
    },
    settled: (region, outcome, rows) => {
      for (const one of all) one.settled?.(region, outcome, rows);
    },
    around: (region, run, send) =>
      around.reduceRight<() => Promise<void>>((inner, one) => () => one(region, run, inner), send)(),
  };
}
