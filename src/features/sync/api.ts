import { z } from 'zod';
import { count, inputNote, nextCursor, time } from '../../api/fields.ts';
import { cursorOption, limitOption, listOption, queryOf } from '../../api/query-options.ts';
import { planFlags, syncEntry } from '../../api/sync-entry.ts';
import { REGIONS } from '../../membership/membership.ts';
import { PLAN_ACTIONS } from '../../membership/plan-words.ts';
import { SYNC_STATES } from '../../membership/sync-state.ts';
import { ENDING } from '../../options/deciding-options.ts';
import { finding, guardFinding, guardObjections, planAction, planCreate, planGroup } from './api-plan.ts';

/** Limits of guards in place of their defaults, by name. */
export const guardLimits = z
  .record(z.string(), z.number())
  .meta({ description: 'Limits of guards in place of their defaults.' });

/** A sync on its own: what guards say, how it was decided, and every state that it was in. */
export const syncView = syncEntry
  .extend({
    findings: z.array(finding).meta({ description: 'The first 20 of what the guards object to. Empty: nothing.' }),
    guards: z.array(guardObjections).meta({
      description: 'Objections of the guards, by guard. Empty: none. `GET /v1/syncs/{id}/findings` has each.',
    }),
    ...planFlags.shape,
    create: planCreate.nullable().meta({ description: 'Users and groups that it may create; null: none.' }),
    limits: guardLimits,
    unknownGroups: count.meta({ description: 'Groups that the service does not know and that are not created.' }),
    notes: z.array(inputNote).meta({ description: 'Notes about the file for a person.' }),
    leftInPlace: z
      .strictObject({
        users: count,
        uncertain: count.meta({ description: 'Those of them whom includeUncertain takes back.' }),
        sentence: z.string().meta({ description: 'The number of users, and the reason.' }),
      })
      .nullable()
      .meta({ description: 'Users whom a finished undo left in their place; null: none.' }),
    before: z.string().nullable().meta({
      description:
        'Address for downloading the earlier members of the groups that it takes something from; null: none, or not yet.',
    }),
    moves: z.array(
      z.strictObject({
        at: time,
        state: z.enum(SYNC_STATES),
        reason: z.string(),
        who: z.string().meta({ description: 'The person who asked for it; empty if the sync itself did.' }),
      }),
    ),
  })
  .meta({ id: 'Sync' });
export type SyncView = z.infer<typeof syncView>;

const pageOf = (byDefault: number, most: number) => ({
  limit: limitOption(byDefault, most),
  cursor: cursorOption.optional(),
});

/** `GET /v1/syncs` */
export const syncsQuery = z.strictObject({
  state: listOption(SYNC_STATES).optional(),
  ...pageOf(50, 200),
});
export const syncsPage = z.strictObject({ syncs: z.array(syncEntry), nextCursor });
export type SyncsPage = z.infer<typeof syncsPage>;

/** `POST /v1/syncs/:id/approve` and `/reject` */
export const reasonBody = z.strictObject({
  reason: z
    .string()
    .trim()
    .min(1, 'allowed is a sentence that says why')
    .max(1_000, 'allowed are 1,000 characters')
    .meta({ description: 'The reason; recorded with your name.', examples: ['Confirmed by the registrar.'] }),
});

const actionOption = listOption(PLAN_ACTIONS).optional();

/** `GET /v1/syncs/:id/groups` */
export const syncGroupsQuery = z.strictObject({
  action: actionOption.meta({
    description: `Only groups with one of these, and those that could not be listed: some of ${PLAN_ACTIONS.join(', ')}.`,
  }),
  ...pageOf(50, 500),
});
export const syncGroup = planGroup
  .pick({ region: true, guid: true, listing: true, members: true, actions: true, right: true, creates: true })
  .extend({
    problem: z
      .string()
      .meta({ description: 'The reason why nothing is done in it; empty if it was listed or is created.' }),
  });
export type SyncGroup = z.infer<typeof syncGroup>;
export const syncGroupsPage = z.strictObject({ groups: z.array(syncGroup), nextCursor });
export type SyncGroupsPage = z.infer<typeof syncGroupsPage>;

/** `GET /v1/syncs/:id/actions` */
export const memberActionsQuery = z.strictObject({
  action: actionOption,
  region: z.enum(REGIONS).optional(),
  guid: z.string().max(1_000).optional().meta({ description: 'The whole GUID, in any case.' }),
  ...pageOf(100, 1_000),
});
export const memberActionsPage = z.strictObject({ actions: z.array(planAction), nextCursor });

/** `GET /v1/memberships/ending` */
export const endingQuery = z.strictObject({
  ...queryOf(ENDING),
  ...pageOf(100, 1_000),
});
const ending = z.strictObject({
  region: z.enum(REGIONS),
  guid: z.string(),
  uid: z.string(),
  until: time,
  by: z.string().meta({ description: 'Id of the import or sync whose row says so.' }),
});
export type EndingMembership = z.infer<typeof ending>;
export const endingPage = z.strictObject({ memberships: z.array(ending), nextCursor });

/** `GET /v1/syncs/:id/findings` */
export const findingsQuery = z.strictObject({
  guard: z.string().max(100),
  search: z.string().max(1_000).optional().meta({ description: 'Part of a GUID, in any case.' }),
  ...pageOf(50, 500),
});
export const findingsPage = z.strictObject({ findings: z.array(guardFinding), nextCursor });
