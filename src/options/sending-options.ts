import { z } from 'zod';
import { rowsOrShare as bound, rowsOrShareText, timeText, waitTime, wholeNumber } from '../platform/allowed-values.ts';
import { CREATING, MAX_CREATE } from './create-options.ts';
import { type Given, option, readAsSetting, SWITCH } from './option.ts';
import { chosenRows } from './option-texts.ts';

/** Options for rows that add a user who is banned from the group. */
export const LIFTING = {
  allowUnban: option({
    ...SWITCH,
    help: 'add users who are banned, which lifts their ban; without it their rows fail with BANNED',
  }),
};
const BAN_CHECK = {
  banCheck: option({
    ...SWITCH,
    help: 'ask every group who is banned before anything is sent, one call for each',
    preset: 'true',
    off: 'save the call for each group that asks who is banned; bans can then be lifted unnoticed',
  }),
};
export const BANS = { ...LIFTING, ...BAN_CHECK };
export type BanChoices = Given<typeof BANS>;

/** The stored form. `keep`: the row fails. `lift`: the ban is lifted. Absent: nobody asks who is banned. */
export const BAN_OPTIONS = { bans: z.enum(['keep', 'lift']).optional() };
export type BanChoice = NonNullable<z.infer<(typeof BAN_OPTIONS)['bans']>>;

/** Options in which the choices are replaced by what is kept of them. */
export function withBansOf<Given extends BanChoices>({ allowUnban, banCheck, ...rest }: Given) {
  return { ...rest, ...banOptionsOf({ allowUnban, banCheck }) };
}

/** The options; an import that does not ask can lift bans without knowing it. */
export function banOptionsOf(choices: BanChoices) {
  return bansAfter('keep', choices);
}

/** The same after a person has decided once more: only what asks can keep or lift bans. */
export function bansAfter(
  bans: BanChoice | undefined,
  { allowUnban, banCheck }: BanChoices,
): { readonly bans?: BanChoice } {
  if (bans === undefined || banCheck === false) return {};
  return { bans: allowUnban === true ? 'lift' : bans };
}

const rows = (from: number) => ({
  schema: z.int().min(from),
  ...readAsSetting(wholeNumber(from, 1_000_000_000), String),
  value: '<n>',
});

/** `100` or `5%`. */
const rowsOrShare = {
  schema: z.union(
    [z.strictObject({ rows: z.int().nonnegative() }), z.strictObject({ percent: z.number().min(0).max(100) })],
    { error: 'allowed are { rows: 10 } and { percent: 5 }' },
  ),
  ...readAsSetting(bound, rowsOrShareText),
  value: '<n|n%>',
};

/** Conditions that the file must meet before anything of it is sent. */
export const EXPECTING = {
  expectRows: option({
    ...rows(1),
    help: 'refuse a file with another number of rows, before anything is sent',
    without: 'accept a file with any number of rows',
  }),
  minRows: option({
    ...rowsOrShare,
    without: 'accept a file that has become smaller',
    help: 'refuse a file with fewer rows, before anything is sent; a share is one of the rows of the last successful run of the same source or schedule',
  }),
};
export type ExpectingChoices = Given<typeof EXPECTING>;

/** Options with which nothing is sent until a person says so. */
export const HELD = {
  dryRun: option({ ...SWITCH, help: 'read and check the file, and send nothing; `resume` sends' }),
};
const ASKING = {
  askFirst: option({ ...SWITCH, help: 'read and check, then wait until a person agrees to what sending takes' }),
};

/** Calls that a check makes without asking. */
export const DEFAULT_MAX_CALLS = 1_000;

/** Options of a check with the service. */
export const CHECKING = {
  maxCalls: option({
    ...rows(1),
    help: 'calls that the check may make; before it makes more, a person is asked, and without one it stops',
    preset: String(DEFAULT_MAX_CALLS),
  }),
};

/** Options of what else reads the service. */
export const SURVEYING = {
  maxCalls: option({
    ...rows(1),
    help: 'calls that reading the service may take; before it makes more, it stops and says how many it needs (default: any number)',
  }),
};

/** Options that stop or delay sending. */
export const STOPPING = {
  maxErrors: option({
    ...rowsOrShare,
    help: 'stop when more rows than this failed, are invalid or unconfirmed',
  }),
};
export const GIVING_UP = {
  giveUpAfter: option({
    schema: z.int().positive(),
    ...readAsSetting(waitTime, timeText),
    value: '<time>',
    help: 'maximum wait for a service that answers nothing, such as 30m; then it is blocked with SERVICE_AWAY, and continues when the service answers',
    preset: 'as the server is set, or as long as it takes',
  }),
};
/** The same for the runs of a schedule. */
export const RUNS_WAIT = {
  giveUpAfter: option({
    ...GIVING_UP.giveUpAfter,
    help: 'maximum wait of a run for a service that answers nothing, such as 30m: then its planning fails, and its import is blocked until the service answers',
    preset: 'as the server is set, else until shortly before the schedule is due again',
    without: 'wait as ROLLCALL_GIVE_UP_AFTER says, or until it is nearly due again',
  }),
};

/** Removals and bans that a file of changes may have before a person must confirm it. */
export const MAX_REMOVALS = 100;

export const REMOVING = {
  maxRemovals: option({
    ...rows(0),
    help: 'removals and bans that a file of changes may have; above it nothing is sent',
    preset: String(MAX_REMOVALS),
  }),
};

/** Options for an import that was checked. */
const LEAVING_OUT = {
  leaveOutFailing: option({
    ...SWITCH,
    help: 'leave out the rows that would fail, as the check of the import says: they are `skipped`, and all others are sent',
  }),
};

/** Options for sending some rows first. */
export const TRIAL = {
  first: option({ ...rows(1), help: 'send the first rows only; `resume` sends the others' }),
  only: option({
    schema: z.array(z.strictObject({ field: z.enum(['guid', 'uid']), is: z.array(z.string().min(1)).min(1) })).min(1),
    value: '<guid=...|uid=...>',
    help: 'send these groups or users first; `resume` sends the others',
    parse: chosenRows,
    print: (chosen) => chosen.map(({ field, is }) => `${field}=${is.join('|')}`),
    repeats: true,
  }),
};
export type TrialChoices = Given<typeof TRIAL>;

/** The way by which rows are sent. */
export const SILENCE = {
  silent: option({
    ...SWITCH,
    help: 'add members by the data import of the service, which writes no messages into groups, and keeps the times in the column joined_at; 50 members of any groups a call, 60 calls a minute',
  }),
};

/** Options of every import for sending its rows. */
export const SENDING = {
  ...SILENCE,
  ...STOPPING,
  ...GIVING_UP,
  ...REMOVING,
  ...TRIAL,
  ...HELD,
  ...ASKING,
};

/** Answers to a question for which an import waits, on the command line. */
export const ANSWERING = { ...MAX_CREATE, ...REMOVING, ...BAN_CHECK, ...LEAVING_OUT };
export type AnsweringChoices = Given<typeof ANSWERING>;

const { createUsers, createGroups, reactivate, createMap, userNameFrom, groupNameFrom, groupType } = CREATING;

/** Options for sending that `resume` may change: those of an import that was read, and nothing of it sent, as a person reviews it. */
export const RESUMING = {
  createUsers,
  createGroups,
  reactivate,
  createMap,
  userNameFrom,
  groupNameFrom,
  groupType,
  ...ANSWERING,
  ...LIFTING,
  ...STOPPING,
  ...GIVING_UP,
  ...TRIAL,
};
