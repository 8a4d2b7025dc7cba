import { z } from 'zod';
import { REGIONS } from '../membership/membership.ts';
import { count, time } from './fields.ts';

const circuit = z.strictObject({
  state: z
    .enum(['closed', 'open', 'half-open'])
    .describe(
      'Closed: calls are made. Open: the service does not answer, jobs wait and use no attempts. Half-open: one call tries whether it answers again.',
    ),
  since: time.nullable().describe('The first call without a usable answer since the last answer.'),
  nextTryAt: time.nullable().describe('Earliest time of the next call; null unless it is open.'),
  calls: count.describe('Calls without a usable answer since the last answer.'),
  lastAnswerAt: time.nullable().describe('Time at which the service last answered a call; null if that is not known.'),
  waitsUntil: time
    .nullable()
    .describe(
      'The service asked to send nothing before, where that is more than ten minutes: it is asked again every ten. Else null.',
    ),
  code: z.string().describe('Error code of the last call without an answer; empty if it was answered.'),
  message: z.string(),
});
export type CircuitStatus = z.infer<typeof circuit>;

/** The circuit of a region in which no call has been made. */
export const UNUSED_CIRCUIT: CircuitStatus = {
  state: 'closed',
  since: null,
  nextTryAt: null,
  calls: 0,
  lastAnswerAt: null,
  waitsUntil: null,
  code: '',
  message: '',
};

const LIMITS = ['nothing', 'rate', 'concurrency', 'group', 'service'] as const;

const pace = z.strictObject({
  limitedBy: z
    .enum(LIMITS)
    .nullable()
    .describe(
      'The reason why it sends no faster. Nothing: no call waits. Rate: the rate limit. Concurrency: the most calls at once that the settings allow. Group: the most that one group may have. Service: it does not answer, or more calls at once would bring no more answers. Null: not known yet.',
    ),
  group: z.string().nullable().describe('The group that limits it.'),
  atOnce: count
    .nullable()
    .describe('Calls that may be in flight at once, over all workers, as the service takes them now.'),
  callMs: count.nullable().describe('Time that a call took of late; null: none was measured.'),
});
export type RegionPace = z.infer<typeof pace>;

export const UNKNOWN_PACE: RegionPace = { limitedBy: null, group: null, atOnce: null, callMs: null };

/** Status of a region: its queue, which all imports share, and its workers. */
const regionStatus = z.strictObject({
  region: z.enum(REGIONS),
  waiting: count.describe('Calls that wait for a worker.'),
  delayed: count.describe('Calls that wait for their next attempt.'),
  active: count.describe('Calls in flight.'),
  setAside: count.describe('Jobs that could not be read, which another program must have written.'),
  stopped: z.boolean().describe("The service refused the region's key or plan."),
  unanswered: z
    .strictObject({ since: time, code: z.string(), message: z.string() })
    .nullable()
    .describe(
      'Since when calls have had no usable answer, and what the last one had instead; null where they are answered, and where other processes make them.',
    ),
  circuit: circuit.describe('The circuit breaker that all processes which use the region and its app share.'),
  limitedForMs: count.describe('Until the rate limit lets the next call start.'),
  callsPerMinute: count.nullable().describe('Calls that may start in a minute, over all workers; null: not set yet.'),
  listsPerMinute: count
    .nullable()
    .describe('Calls that only read and may start in a minute; null: they are part of the calls above.'),
  importsPerMinute: count
    .nullable()
    .describe('Calls of imports in silence that may start in a minute; null: none waits or is in flight.'),
  pace,
  workers: count.describe('Processes that send its calls.'),
  key: z
    .string()
    .nullable()
    .describe('Fingerprint of the API key that this server uses; null where other processes make the calls.'),
});
export type RegionStatus = z.infer<typeof regionStatus>;

const regionQueue = regionStatus.extend({
  waitingSince: time.nullable().describe('Time at which the next call was put into the queue; null if none waits.'),
  stalled: count.describe(
    'Calls in flight that another worker had begun and lost, because it ended or stood still; among the first 100 in flight.',
  ),
});
export type RegionQueue = z.infer<typeof regionQueue>;

export const regionsAnswer = z.strictObject({ regions: z.array(regionQueue) });
