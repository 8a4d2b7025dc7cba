import { z } from 'zod';
import { IMPORT_STATES } from '../membership/import-state.ts';
import { REGIONS } from '../membership/membership.ts';
import { OUTCOMES } from '../membership/outcome.ts';
import { nextCursor, pageOptions, time } from './fields.ts';
import { operationsOf } from './operation.ts';

const historyEntry = z.strictObject({
  importId: z.string(),
  file: z.string(),
  state: z.enum(IMPORT_STATES),
  line: z.int(),
  at: time.nullable().describe("Time of the row's outcome; without one, the start of the import."),
  region: z.string(),
  guid: z.string(),
  scope: z.string(),
  status: z.enum(OUTCOMES),
  code: z.string(),
  message: z.string(),
});
export type HistoryEntry = z.infer<typeof historyEntry>;

const unread = z
  .array(z.string())
  .describe('Imports of this page whose ledger is damaged or missing: what they did is not in it.');

/** Characters that a part of a UID must have at least: a shorter one finds nearly everybody. */
const MIN_OF_UID = 3;

const foundMember = z.strictObject({
  uid: z.string().describe('The spelling of the newest import of the user.'),
  newest: z.strictObject({ importId: z.string(), file: z.string(), createdAt: time }),
});
export type FoundMember = z.infer<typeof foundMember>;

const membershipNow = z.strictObject({
  region: z.enum(REGIONS),
  guid: z.string(),
  now: z
    .enum(['member', 'banned', 'not-member', 'no-group', 'unknown'])
    .describe(
      'The answer of the service. A user who is not a member may be banned where the group has more than 100 banned users. `unknown`: the service does not say it, or more would have to be asked than one question may ask.',
    ),
  scope: z.string().nullable().describe('Scope of a member, if the service names it.'),
  differs: z.boolean().describe('Whether it is not what imports left.'),
  history: historyEntry.nullable().describe('The last row that did something here; null: none did.'),
});
export type MembershipNow = z.infer<typeof membershipNow>;
const memberNow = z.strictObject({
  uid: z.string(),
  askedAt: time,
  regions: z.array(
    z.strictObject({
      region: z.enum(REGIONS),
      problem: z.string().nullable().describe('The reason why nothing is known of this region; null: it answered.'),
      isWhole: z.boolean().describe('Whether `groups` has all groups of the user there.'),
    }),
  ),
  groups: z.array(membershipNow).describe('Those that differ first.'),
  historyIsWhole: z.boolean().describe('False: there are older rows than were compared.'),
});
export type MemberNow = z.infer<typeof memberNow>;

const operation = operationsOf('members', z.object({ uid: z.string() }));

/** Users by a part of their UID, what every import did to one, and where this one is now. */
export const memberOperations = {
  search: operation('GET /v1/members', 'viewer', {
    summary: 'Users in imports by a part of their UID, those of the newest import first',
    description: 'A page may hold fewer users than `limit`, or none, and have a next one.',
    query: z.strictObject({
      text: z.string().trim().min(MIN_OF_UID).max(200).describe('A part of the UID, in any case.'),
      ...pageOptions(50, 200),
    }),
    answer: z.strictObject({
      members: z
        .array(foundMember)
        .describe(
          'A UID may come again on a later page, where an older import has it. `GET /v1/members/:uid/history` has its rows.',
        ),
      unread,
      nextCursor,
    }),
  }),
  history: operation('GET /v1/members/:uid/history', 'viewer', {
    summary: 'Effects of all imports on a UID, newest import first',
    description: 'A page may hold fewer entries than `limit`, or none, and have a next one.',
    query: z.strictObject(pageOptions(100, 1_000)),
    answer: z.strictObject({ uid: z.string(), entries: z.array(historyEntry), unread, nextCursor }),
  }),
  ask: operation('POST /v1/members/:uid/ask', 'operator', {
    audit: 'member.ask',
    summary: 'Ask the service in which groups a user is now, and compare with what imports did',
    description:
      'One call for the groups of the user in each region, and one or two for each of up to 20 groups that differ, within the rate of the region.',
    query: z.strictObject({
      region: z
        .enum(REGIONS)
        .optional()
        .describe('Default: the regions that imports have put the user into, or all that have an app.'),
    }),
    answer: memberNow,
    refusals: ['REGION_WITHOUT_APP'],
  }),
};
