/**
 * The service's codes, and what each means: for the batch that was refused with it, and for people. The rest of rollcall
 * knows them by the names and questions here. Codes are publicly known, not contract (docs/chat-service.md, 24 to 37): a code
 * that is not listed means what its HTTP status says (error-policy.ts).
 */
import { option, type Words, words } from '../../errors/named-options.ts';

const VERDICT_KINDS = [
  'again', // send the batch again after a backoff; the attempt counts
  'slow-down', // nothing was processed: the region waits; no attempt is used
  'halve', // it may concern one list or one user: send smaller calls, down to the UID that causes it
  'group', // true of the whole group: the rest of its batches need not be sent
  'stop-region', // true of every call until a person fixes it; the batch is not consumed
  'final', // the one row of this call is refused
] as const;
export type VerdictKind = (typeof VERDICT_KINDS)[number];

export const CALL_KINDS = ['answered', ...VERDICT_KINDS] as const;

interface Meaning {
  /** Never `final`: no code of the service says that all users of a call are refused. */
  readonly kind: Exclude<VerdictKind, 'final'>;
  /** Advice for people whose rows failed with it. */
  readonly advice?: Words;
  /** Set for a code that a check can foresee. */
  readonly foreseen?: {
    /** The reason for the failure: a sentence without capital and full stop. */
    readonly why: string;
    /** Advice before anything is sent. */
    readonly advice: Words;
  };
}

export const USER_MISSING = 'ERR_UID_NOT_FOUND';
export const GROUP_MISSING = 'ERR_GUID_NOT_FOUND';
export const NOT_A_MEMBER = 'ERR_NOT_A_MEMBER';
/** A fault of the server, by which one entity also ends a data import. */
export const CALL_ENDED_BY_ENTITY = 'ERR_EXCEPTION';
/** The time since when a user is a member, in a data import, is before the group's creation. */
export const JOINED_TOO_EARLY = 'ERR_IMPORT_INVALID_JOINEDAT';
/** The acting user is not a member of the group. */
export const ACTOR_OUTSIDE = 'ERR_GROUP_NOT_JOINED';
/** The acting user's scope does not allow this at all, or not for this list. */
export const ACTOR_TOO_LOW = 'ERR_GROUP_NO_CLEARANCE';
export const SCOPE_TOO_LOW = 'ERR_GROUP_NO_SCOPE_CLEARANCE';
/** The acting user may not join by itself: a private group, and one with a password. */
export const JOIN_NOT_ALLOWED = 'ERR_GROUP_JOIN_NOT_ALLOWED';
export const WRONG_PASSWORD = 'ERR_WRONG_GROUP_PASS';
/** The service does not have the operation, or not at this address. */
export const OPERATION_MISSING = 'ERR_API_NOT_FOUND';
/** A 404 without a code: something else answers here. */
export const BARE_404 = 'HTTP_404';
/** Code of a refusal that something between us and the service made. */
export const NOT_THE_SERVICE = 'NOT_THE_SERVICE';

const WITHOUT_ACTOR = 'Leave the acting user out, or let a member of the group act.';
const OTHER_ACTOR = 'Let an admin of the group act, or leave the acting user out.';

const MEANINGS: Readonly<Record<string, Meaning>> = {
  // Faults of the server, which may come with a 4xx status such as 417.
  ERR_MISSION_FAILED: { kind: 'again' },
  ERR_OPERATION_FAILED: { kind: 'again' },
  [CALL_ENDED_BY_ENTITY]: { kind: 'again' },
  ERR_BAD_ERROR_RESPONSE: { kind: 'again' },
  // It says only that the call failed. A repeat is safe: if the change was made after all, it is already in place.
  ERR_MEMBER_SCOPE_CHANGE_FAILED: { kind: 'again' },
  ERR_MEMBER_DELETE_FAILED: { kind: 'again' },
  ERR_MEMBER_BAN_FAILED: { kind: 'again' },
  ERR_MEMBER_UNBAN_FAILED: { kind: 'again' },
  ERR_GROUP_DELETE_FAILED: { kind: 'again' },
  ERR_UID_DELETE_FAILED: { kind: 'again' },
  ERR_TOO_MANY_REQUESTS: {
    kind: 'slow-down',
    advice: 'The rate limit was reached: import the retry file with fewer calls a minute.',
  },
  ERR_BAD_REQUEST: {
    kind: 'halve',
    advice: 'The service did not accept these values: compare them with the message and fix them in the retry file.',
  },
  [GROUP_MISSING]: {
    kind: 'group',
    advice: 'Create the group or fix its GUID in the retry file; then import the retry file.',
    foreseen: {
      why: 'the group does not exist',
      advice: words`Fix the GUID, create the group first, or import the file with ${option('createGroups')}.`,
    },
  },
  ERR_NO_VACANCY: {
    kind: 'group',
    advice: 'The group is full: remove members or move the rest to another group; then import the retry file.',
  },
  ERR_PLAN_QUOTA_RESTRICTION: {
    kind: 'group',
    advice: 'The plan’s limit is reached: raise it or use another group; then import the retry file.',
  },
  ERR_SUBSCRIPTION_EXPIRED: {
    kind: 'stop-region',
    advice: 'The plan has expired: renew it; then import the retry file.',
  },
  ERR_PLAN_RESTRICTION: {
    kind: 'stop-region',
    advice: 'The plan does not include this: change the plan; then import the retry file.',
  },
  // The address or its version is wrong: no call of this region can succeed.
  [OPERATION_MISSING]: { kind: 'stop-region' },
  ERR_INVALID_API_VERSION: { kind: 'stop-region' },
  // Statements about one user, one list or the acting user. For the whole request they leave open which rows they concern.
  [USER_MISSING]: {
    kind: 'halve',
    advice: 'Create or reactivate these users, or fix the UIDs in the retry file; then import the retry file.',
    foreseen: {
      why: 'the user does not exist',
      advice: words`Fix the UID, create the user first, or import the file with ${option('createUsers')}.`,
    },
  },
  ERR_ALREADY_JOINED: {
    kind: 'halve',
    advice: 'Nothing, unless the scope should change: adding does not change the scope of a member.',
  },
  ERR_ALREADY_BANNED: { kind: 'halve' },
  ERR_SAME_SCOPE: { kind: 'halve' },
  ERR_BANNED_GROUPMEMBER: {
    kind: 'halve',
    advice: 'These users are banned from the group: lift the ban first if they should come back.',
  },
  [NOT_A_MEMBER]: {
    kind: 'halve',
    advice: 'The user has left the group since the plan was made: make a new plan.',
    foreseen: {
      why: 'the user is not a member of the group',
      advice: 'Add these users instead of changing their scope, or take these rows out.',
    },
  },
  [ACTOR_OUTSIDE]: {
    kind: 'halve',
    advice: 'The acting user is not in the group: add that user first, or remove the acting user.',
    foreseen: {
      why: 'the acting user is not a member of the group',
      advice: 'Add the acting user to the group first, or leave the acting user out.',
    },
  },
  [JOINED_TOO_EARLY]: {
    kind: 'halve',
    advice: 'The time is before the creation of the group: correct it in the retry file, or leave it out.',
    foreseen: {
      why: 'the user would have joined before the group was created',
      advice: 'Correct the time in the column joined_at, or leave it out.',
    },
  },
  ERR_EMPTY_GROUP_PASS: {
    kind: 'halve',
    advice: 'A group of this type needs a password: add one to the file, or choose another type.',
  },
  ERR_ROLE_NOT_FOUND: {
    kind: 'halve',
    advice: 'Create the role in the service’s dashboard, or correct it in the file.',
  },
  [JOIN_NOT_ALLOWED]: {
    kind: 'halve',
    advice: 'Nobody joins this group by themselves: import the retry file without the acting user.',
    foreseen: { why: 'the acting user adds itself, and the group is private', advice: WITHOUT_ACTOR },
  },
  [WRONG_PASSWORD]: {
    kind: 'halve',
    advice: 'Nobody joins this group without its password: import the retry file without the acting user.',
    foreseen: { why: 'the acting user adds itself, and the group has a password', advice: WITHOUT_ACTOR },
  },
  [ACTOR_TOO_LOW]: {
    kind: 'halve',
    advice: 'The acting user may not do this in the group: choose another acting user or remove it.',
    foreseen: { why: 'the acting user’s scope in the group does not allow this', advice: OTHER_ACTOR },
  },
  [SCOPE_TOO_LOW]: {
    kind: 'halve',
    advice: 'The acting user may not give this scope in the group: choose another acting user or remove it.',
    foreseen: { why: 'the acting user’s scope in the group does not allow it to give this scope', advice: OTHER_ACTOR },
  },
};

/** Families of codes, for members that are not known one by one. */
const FAMILIES: readonly (readonly [prefix: string, meaning: Meaning])[] = [
  [
    'AUTH_ERR_',
    {
      kind: 'stop-region',
      advice: 'The API key or app was refused: check the region’s key (it needs full access) and app id.',
    },
  ],
  // The acting user is not in the group or may not do this there. These come with 401, and must not count as a bad key.
  [
    'ERR_GROUP_NO_',
    {
      kind: 'halve',
      advice: 'The acting user may not do this in the group: choose another acting user or remove it.',
    },
  ],
  ['ERR_GROUP_', { kind: 'halve' }],
];

/** Every code with a meaning of its own. */
export const KNOWN_CODES: readonly string[] = Object.keys(MEANINGS);

/** Undefined: the code is not known. */
export function meaningOf(code: string): Meaning | undefined {
  if (Object.hasOwn(MEANINGS, code)) return MEANINGS[code];
  return FAMILIES.find(([prefix]) => code.startsWith(prefix))?.[1];
}

/** Whether the service itself gave the code: HTTP_403 and the codes of rollcall are not its own. */
export function isOfService(code: string) {
  return code.startsWith('ERR_');
}

/** Whether the user or group could not be created because there is one with this id. */
export function isIdTaken(code: string) {
  return code === 'ERR_UID_ALREADY_EXISTS' || code === 'ERR_GUID_ALREADY_EXISTS';
}
