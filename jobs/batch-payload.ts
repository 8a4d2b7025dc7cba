import { z } from 'zod';
import { callRecord, standing } from '../src/imports/record/batch-result.ts';
import { REGIONS } from '../src/membership/membership.ts';

/** Fields of every payload of a region's queues: where its call goes. */
export const CALL_FIELDS = {
  region: z.enum(REGIONS),
  /** Host of the service that it is meant for; absent where any worker may make the call. */
  host: z.string().optional(),
  /** Share of the service's rate limit that may be used, in percent; absent: what the queue is set to. */
  share: z.number().optional(),
};

/** Fields of every payload of a batch, in addition to its version. */
export const BATCH_FIELDS = {
  importId: z.string(),
  /** Queue of the coordinator that waits for the result; null when it is in the worker's process. */
  replyTo: z.string().nullable(),
  batch: z.int(),
  ...CALL_FIELDS,
  guid: z.string(),
  onBehalfOf: z.string(),
  /** The reason why an earlier call for these rows may have been carried out; null when none can have been. */
  uncertainty: z.string().nullable(),
  calls: z.array(callRecord),
  /** Starts that sent no call of the batch: the worker's process stopped before, or the start read the group's list. */
  handedBack: z.int(),
  /** Absent for a batch that was not tried before. */
  standing: standing.optional(),
};
export type BatchPayload = z.infer<z.ZodObject<typeof BATCH_FIELDS>> & { readonly version: number };

/** The import that a result belongs to, and the address that it goes to. */
export type ResultAddress = Pick<BatchPayload, 'importId' | 'replyTo'>;
