import { z } from 'zod';
import { IMPORT_STATES } from '../membership/import-state.ts';
import { OUTCOMES } from '../membership/outcome.ts';
import { count, nextCursor, time } from './fields.ts';
import { cursorOption, limitOption } from './options.ts';

const historyEntry = z.strictObject({
  importId: z.string(),
  file: z.string(),
  state: z.enum(IMPORT_STATES),
  line: z.int(),
  at: time.nullable().meta({ description: 'When the row got its outcome; else when the import began.' }),
  region: z.string(),
  guid: z.string(),
  scope: z.string(),
  status: z.enum(OUTCOMES),
  code: z.string(),
  message: z.string(),
});
export type HistoryEntry = z.infer<typeof historyEntry>;

/** `GET /v1/members/:uid/history` */
export const historyQuery = z.strictObject({ limit: limitOption(100, 1_000), cursor: cursorOption.optional() });
export const historyPage = z.strictObject({ uid: z.string(), entries: z.array(historyEntry), nextCursor });

/** Characters that a part of a UID must have at least: a shorter one finds nearly everybody. */
const LEAST_OF_UID = 3;

/** `GET /v1/members` */
export const membersQuery = z.strictObject({
  text: z.string().trim().min(LEAST_OF_UID).max(200).meta({ description: 'A part of the UID, in any case.' }),
  limit: limitOption(50, 200),
  cursor: cursorOption.optional(),
});
const foundMember = z.strictObject({
  uid: z.string().meta({ description: 'As the newest of these imports has it.' }),
  rows: count,
  imports: count,
  newest: z.strictObject({ importId: z.string(), file: z.string(), createdAt: time }),
});
export type FoundMember = z.infer<typeof foundMember>;
export const membersPage = z.strictObject({
  members: z.array(foundMember).meta({
    description:
      'With counts of the imports of this page: a UID may come again on a later page, with its rows in older ones.',
  }),
  nextCursor,
});
