import { z } from 'zod';
import { CALL_KINDS } from '../chat/service/codes.ts';
import { count, time } from './fields.ts';
import { rowView } from './rows.ts';

/** Calls of an import for one row, and their results. */

const text = z.string().nullable();

const batchFacts = z.strictObject({
  id: z.int(),
  uids: count.meta({ description: 'UIDs that are sent in one call.' }),
  dispatchedAt: time.nullable().meta({ description: 'Time at which it was last put into the queue.' }),
  finishedAt: time.nullable(),
  uncertainty: text.meta({ description: 'The reason why an earlier call may have been carried out.' }),
});

const callFacts = z.strictObject({
  batch: z.int().meta({ description: 'May be an earlier, larger batch that the batch of the row was split from.' }),
  at: time,
  ms: count,
  httpStatus: z.int().nullable().meta({ description: 'Null where there was no reply.' }),
  kind: z.enum(CALL_KINDS).meta({
    description: 'answered, or what the refusal meant: `again` is sent again, `slow-down` waits for the rate limit.',
  }),
  code: z.string(),
  message: text.meta({ description: "The service's message about a refused call." }),
  requestId: text.meta({ description: 'The id that the service gave a refused request, for its support.' }),
});

const creationFacts = z.strictObject({
  kind: z.enum(['user', 'group']),
  outcome: z.string(),
  code: text,
  message: text,
  at: time.nullable(),
});

const rowDetailFacts = z.strictObject({
  action: text.meta({ description: 'add, change, remove or unban; null where the row is not sent.' }),
  onBehalfOf: z.string(),
  batch: batchFacts.nullable(),
  calls: z.array(callFacts).meta({ description: 'Every call that was made for it, in order.' }),
  creations: z.array(creationFacts).meta({ description: 'Users and groups that were looked for or created for it.' }),
});
export type RowDetailFacts = z.infer<typeof rowDetailFacts>;

/** `GET /v1/imports/:id/rows/:row` */
export const rowDetail = rowDetailFacts.extend({ row: rowView }).meta({ id: 'RowDetail' });
export type RowDetail = z.infer<typeof rowDetail>;
