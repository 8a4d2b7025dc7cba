import { RollcallError } from '../errors/rollcall-error.ts';

/**
 * Choices of the sandbox for matters that the contract leaves open. Every such choice is a switch here: its positions, the
 * default first, or a number, which is the default of a whole number from 0. The basis of the default stands above it:
 * "documented" and "observed" mean public knowledge about the service, never contract; "guess" means that there is no source. A
 * client that works with every position of every switch depends on none of them.
 */
export const SWITCHES = {
  /** UIDs in one add-members call, counted as sent over all lists together. Documented: 25. */
  maxUidsPerCall: 25,
  /** A call with more: refused whole with 400, or processed up to the limit, without mentioning the rest. Guess. */
  tooManyUids: ['refuse', 'truncate'],
  /** A call without any list: an empty reply, because no list is required, or 400. */
  emptyRequest: ['accept', 'refuse'],
  /** Unknown fields of an add-members body: 400, or as if they were not there. Guess. */
  unknownFields: ['refuse', 'ignore'],
  /** Users who may act in a group: members, as their scope allows (observed), or every user, as an admin does. */
  actingUser: ['member', 'anybody'],
  /** Users that a moderator may add: none (documented: only admins add), or participants (another documented page). */
  moderatorsAdd: ['nobody', 'participants'],
  /** Members whose scope a moderator may change: moderators and participants (documented), participants (another page), or no one's. */
  moderatorsChange: ['moderators', 'participants', 'nobody'],
  /** An acting user who adds or removes itself: joins a public group and leaves any (observed), or is refused (observed too). */
  selfActions: ['join-and-leave', 'refuse'],
  /** A call with rows for which the acting user's scope is too low: refused whole, or each of these UIDs. Guess. */
  clearance: ['refuse-call', 'per-uid'],
  /** POST …/bannedusers for a user who is not a member: banned anyway, or ERR_NOT_A_MEMBER. Both observed. */
  banningStrangers: ['ban', 'refuse'],
  /** Reply to an edit of a member: `success` or the member (documented), or an action message (observed for bans). */
  editReply: ['success', 'action'],
  /** Largest request body in bytes; a larger one is refused with 400. Documented: 10 KB. */
  maxBodyBytes: 10_240,
  /** Lists in the reply: those of the request (contract), or all four (guess, from what a published client relies on). */
  replyLists: ['requested', 'all'],
  /** The form of a list without any UID. Guess. */
  emptyList: ['object', 'array'],
  /** UIDs in the reply: in lower case, as the service stores them (documented), or as the request wrote them. */
  replyUids: ['lowercase', 'as-sent'],
  /** UIDs and GUIDs with capital letters in a call: taken for what is stored, which is in lower case, or unknown. Guess. */
  capitalIds: ['fold', 'unknown'],
  /** Entry of a refused UID: `success: false` with a whole error, or without its code, or without `success`. Guess. */
  failureEntry: ['full', 'without-code', 'without-success'],
  /** The sender of an action message for an acting user: the system user (contract) or that user. */
  actionSender: ['system', 'acting-user'],
  /** Adding a banned user: adds and lifts the ban (observed), or is refused with ERR_BANNED_GROUPMEMBER (documented). */
  addingBanned: ['lift-ban', 'refuse'],
  /** Most members of a group. Documented: 100,000. */
  maxGroupMembers: 100_000,
  /** A full group: ERR_NO_VACANCY per UID, or the call refused with ERR_PLAN_QUOTA_RESTRICTION. Both documented. */
  fullGroup: ['per-uid', 'refuse-call'],
  /** Whether the list of members holds banned users. Observed: yes. */
  listBanned: [true, false],
  /** Address of the banned of a group; without one the operation does not exist. The first two are documented. */
  bannedAddress: ['bannedusers', 'banned_members', 'none'],
  /**
   * Paging information of a page: right, absent, a total of 0 and one page, or as in the documented samples, which also
   * count one entry more than they show.
   */
  pagination: ['right', 'absent', 'odd', 'sample'],
  /** Time in ms until a new member shows up in reads. Observed for messages only, up to 3,000; guess for members: 0. */
  readDelayMs: 0,
  /** Status for a key that is missing or unknown, and for an unknown app. Guess. */
  refusedKeyStatus: [401, 403, 404],
  /** Status for a key whose scope does not suffice. Observed: 403. */
  keyScopeStatus: [403, 401],
  /** Whether the text of such a refusal repeats the key. Observed: yes; off, so that no key gets into a log by accident. */
  echoKey: [false, true],
  /** Status for a group that does not exist. Observed: 404. */
  unknownGroupStatus: [404, 400],
  /** Status for creating a user or group that exists. Guess. */
  duplicateStatus: [400, 409],
  /**
   * `members` in the body of a new group: added, and each UID is in the reply (documented); added, and the reply does not
   * mention them; ignored; or refused with 400. The last three are guesses.
   */
  membersOfNewGroup: ['add', 'add-silently', 'ignore', 'refuse'],
  /** A group without `type`: public (documented in words), or refused (its machine-readable description requires it). */
  groupType: ['optional', 'required'],
  /** Calls a minute that only read (GET), as a budget beside that of the others; 0: all calls share one. Documented: 20,000. */
  listsPerMinute: 0,
  /** Bulk imports a minute, as a budget beside the others. Documented: 60. */
  importsPerMinute: 60,
  /** An entity of a bulk import that is refused: said under its key (documented), or the call ends with 500, after those before it were imported (observed for messages). */
  importFailure: ['per-key', 'end-call'],
  /** The results of a bulk import: under `data`, or under `data` in `data`. Both documented. */
  importReply: ['once', 'twice'],
  /** `userDetails` and `groupDetails` of an imported member: create one who is missing, or not. Guess. */
  importDetails: ['create', 'ignore'],
  /** Whether an imported member gets an action message. Guess: none, because the reply has none. */
  importMessages: ['none', 'written'],
  /** Spelling of the rate headers: `X-Rate-Limit…` or `X-RateLimit-…`. Both documented. */
  rateHeaders: ['X-Rate-Limit', 'X-RateLimit'],
} as const;

type Switches = typeof SWITCHES;

/** The positions of the switches. */
export type Behaviour = {
  readonly [Name in keyof Switches]: Switches[Name] extends readonly (infer Position)[] ? Position : number;
};

export const DEFAULT_BEHAVIOUR = Object.fromEntries(
  Object.entries(SWITCHES).map(([name, allowed]) => [name, typeof allowed === 'number' ? allowed : allowed[0]]),
) as Behaviour;

/** Reads switches written as `name=value`, several by commas. @throws BAD_BEHAVIOUR */
export function parseBehaviour(text: string): Partial<Behaviour> {
  const parts = text.split(',').map((part) => part.trim());
  return Object.fromEntries(parts.filter((part) => part !== '').map(parseSwitch));
}

function parseSwitch(text: string): readonly [name: string, value: unknown] {
  const [name = '', value = ''] = text.split('=', 2);
  const given = JSON.stringify(value);
  if (!Object.hasOwn(SWITCHES, name)) {
    throw refused(`${JSON.stringify(name)} is not a switch; allowed are ${Object.keys(SWITCHES).join(', ')}`);
  }
  const allowed = SWITCHES[name as keyof Behaviour];
  if (typeof allowed === 'number') {
    if (/^\d{1,15}$/.test(value)) return [name, Number(value)];
    throw refused(`${name} is ${given}; allowed is a whole number from 0`);
  }
  const found = allowed.find((one) => String(one) === value);
  if (found !== undefined) return [name, found];
  throw refused(`${name} is ${given}; allowed are ${allowed.join(', ')}`);
}

function refused(what: string) {
  return new RollcallError('BAD_BEHAVIOUR', { what });
}
