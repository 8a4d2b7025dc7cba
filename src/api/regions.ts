import { z } from 'zod';
import { REGIONS } from '../membership/membership.ts';
import { count, time } from './fields.ts';

/** What a region is doing: its queue, which all imports share, and its workers. */
const regionStatus = z.strictObject({
  region: z.enum(REGIONS),
  waiting: count.meta({ description: 'Calls that wait for a worker.' }),
  delayed: count.meta({ description: 'Calls that wait for their next attempt.' }),
  active: count.meta({ description: 'Calls in flight.' }),
  stopped: z.boolean().meta({ description: "The service refused the region's key or plan." }),
  unanswered: z.strictObject({ since: time, code: z.string(), message: z.string() }).nullable().meta({
    description:
      'Since when calls have had no usable answer, and what the last one had instead; null where they are answered, and where other processes make them.',
  }),
  limitedForMs: count.meta({ description: 'Until the rate limit lets the next call start.' }),
  callsPerMinute: count.nullable().meta({
    description: 'Calls that may start in a minute, over all workers; null: not set yet.',
  }),
  workers: count.meta({ description: 'Processes that send its calls.' }),
  key: z.string().nullable().meta({
    description: 'Fingerprint of the API key that this server uses; null where other processes make the calls.',
  }),
});
export type RegionStatus = z.infer<typeof regionStatus>;

/** `GET /v1/regions` */
export const regionsAnswer = z.strictObject({ regions: z.array(regionStatus) });
