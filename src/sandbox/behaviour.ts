import { RollcallError } from '../errors/rollcall-error.ts';

/**
 * Choices of the sandbox for matters that the contract leaves open. Every such choice is a switch here, with the basis
 * of its default: "documented" and "observed" mean public knowledge about the service, never contract; "guess" means
 * that there is no source. A client that works with every position of every switch depends on none of them.
 */
export interface Behaviour {
  /** UIDs in one add-members call, counted as sent over all lists together. Documented: 25. */
  readonly maxUidsPerCall: number;
  /** A call with more: refused whole with 400, or processed up to the limit, without mentioning the rest. Guess. */
  readonly tooManyUids: 'refuse' | 'truncate';
  /** A call without any list: an empty reply, because no list is required, or 400. */
  readonly emptyRequest: 'accept' | 'refuse';
  /** Unknown fields of an add-members body: 400, or as if they were not there. Guess. */
  readonly unknownFields: 'refuse' | 'ignore';
  /**
   * The users who may act in a group: its members, as their scope allows (observed), or every user, as an admin does.
   */
  readonly actingUser: 'member' | 'anybody';
  /** Users that a moderator may add: none (documented: only admins add), or participants (another documented page). */
  readonly moderatorsAdd: 'nobody' | 'participants';
  /** Members whose scope a moderator may change: moderators and participants (documented), participants (another page), or no one's. */
  readonly moderatorsChange: 'moderators' | 'participants' | 'nobody';
  /** An acting user who adds or removes itself: joins a public group and leaves any (observed), or is refused (observed too). */
  readonly selfActions: 'join-and-leave' | 'refuse';
  /** A call with rows for which the acting user's scope is too low: refused whole, or each of these UIDs. Guess. */
  readonly clearance: 'refuse-call' | 'per-uid';
  /** POST …/bannedusers for a user who is not a member: banned anyway, or ERR_NOT_A_MEMBER. Both observed. */
  readonly banningStrangers: 'ban' | 'refuse';
  /**
   * Reply to a removal, a ban, an unban or a change of scope: `success` or the member (documented), or an action message
   * (observed for bans).
   */
  readonly editReply: 'success' | 'action';
  /** Largest request body in bytes; a larger one is refused with 400. Documented: 10 KB. */
  readonly maxBodyBytes: number;
  /** Lists in the reply: those of the request (contract), or all four (guess, from what a published client relies on). */
  readonly replyLists: 'all' | 'requested';
  /** The form of a list without any UID. Guess. */
  readonly emptyList: 'object' | 'array';
  /** UIDs in the reply: in lower case, as the service stores them (documented), or as the request wrote them. */
  readonly replyUids: 'lowercase' | 'as-sent';
  /** UIDs and GUIDs with capital letters in a call: taken for what is stored, which is in lower case, or unknown. Guess. */
  readonly capitalIds: 'fold' | 'unknown';
  /** Entry of a refused UID: `success: false` with a whole error, or without its code, or without `success`. Guess. */
  readonly failureEntry: 'full' | 'without-code' | 'without-success';
  /** The sender of an action message for an acting user: the system user (contract) or that user. */
  readonly actionSender: 'system' | 'acting-user';
  /** Adding a banned user: adds and lifts the ban (observed), or is refused with ERR_BANNED_GROUPMEMBER (documented). */
  readonly addingBanned: 'lift-ban' | 'refuse';
  /** Most members of a group. Documented: 100,000. */
  readonly maxGroupMembers: number;
  /** A full group: ERR_NO_VACANCY per UID, or the call refused with ERR_PLAN_QUOTA_RESTRICTION. Both documented. */
  readonly fullGroup: 'per-uid' | 'refuse-call';
  /** Whether the list of members holds banned users. Observed: yes. */
  readonly listBanned: boolean;
  /** Address of the banned of a group; without one the operation does not exist. The first two are documented. */
  readonly bannedAddress: 'bannedusers' | 'banned_members' | 'none';
  /**
   * Paging information of a page: right, absent, a total of 0 and one page, or as in the documented samples, which also
   * count one entry more than they show.
   */
  readonly pagination: 'right' | 'absent' | 'odd' | 'sample';
  /** Time in ms until a new member shows up in reads. Observed for messages only, up to 3,000; guess for members: 0. */
  readonly readDelayMs: number;
  /** Status for a key that is missing or unknown, and for an unknown app. Guess. */
  readonly refusedKeyStatus: 401 | 403 | 404;
  /** Status for a key whose scope does not suffice. Observed: 403. */
  readonly keyScopeStatus: 401 | 403;
  /** Whether the text of such a refusal repeats the key. Observed: yes; off, so that no key gets into a log by accident. */
  readonly echoKey: boolean;
  /** Status for a group that does not exist. Observed: 404. */
  readonly unknownGroupStatus: 400 | 404;
  /** Status for creating a user or group that exists. Guess. */
  readonly duplicateStatus: 400 | 409;
  /**
   * `members` in the body of a new group: added, and each UID is in the reply (documented); added, and the reply does not
   * mention them; ignored; or refused with 400. The last three are guesses.
   */
  readonly membersOfNewGroup: 'add' | 'add-silently' | 'ignore' | 'refuse';
  /** A group without `type`: public (documented in words), or refused (its machine-readable description requires it). */
  readonly groupType: 'optional' | 'required';
  /** Calls a minute that only read (GET), as a budget beside that of the others; 0: all calls share one. Documented: 20,000. */
  readonly listsPerMinute: number;
  /** Bulk imports a minute, as a budget beside the others. Documented: 60. */
  readonly importsPerMinute: number;
  /** An entity of a bulk import that is refused: said under its key (documented), or the call ends with 500, after those before it were imported (observed for messages). */
  readonly importFailure: 'per-key' | 'end-call';
  /** The results of a bulk import: under `data`, or under `data` in `data`. Both documented. */
  readonly importReply: 'once' | 'twice';
  /** `userDetails` and `groupDetails` of an imported member: create one who is missing, or not. Guess. */
  readonly importDetails: 'create' | 'ignore';
  /** Whether an imported member gets an action message. Guess: none, because the reply has none. */
  readonly importMessages: 'none' | 'written';
  /** Spelling of the rate headers: `X-Rate-Limit…` or `X-RateLimit-…`. Both documented. */
  readonly rateHeaders: 'X-Rate-Limit' | 'X-RateLimit';
}

export const DEFAULT_BEHAVIOUR: Behaviour = {
  maxUidsPerCall: 25,
  tooManyUids: 'refuse',
  emptyRequest: 'accept',
  unknownFields: 'refuse',
  actingUser: 'member',
  moderatorsAdd: 'nobody',
  moderatorsChange: 'moderators',
  selfActions: 'join-and-leave',
  clearance: 'refuse-call',
  banningStrangers: 'ban',
  editReply: 'success',
  maxBodyBytes: 10_240,
  replyLists: 'requested',
  emptyList: 'object',
  replyUids: 'lowercase',
  capitalIds: 'fold',
  failureEntry: 'full',
  actionSender: 'system',
  addingBanned: 'lift-ban',
  maxGroupMembers: 100_000,
  fullGroup: 'per-uid',
  listBanned: true,
  bannedAddress: 'bannedusers',
  pagination: 'right',
  readDelayMs: 0,
  refusedKeyStatus: 401,
  keyScopeStatus: 403,
  echoKey: false,
  unknownGroupStatus: 404,
  duplicateStatus: 400,
  membersOfNewGroup: 'add',
  groupType: 'optional',
  listsPerMinute: 0,
  importsPerMinute: 60,
  importFailure: 'per-key',
  importReply: 'once',
  importDetails: 'create',
  importMessages: 'none',
  rateHeaders: 'X-Rate-Limit',
};

/** The positions of each switch; `number` is a whole number from 0. */
export const BEHAVIOUR_VALUES: { readonly [Name in keyof Behaviour]: readonly Behaviour[Name][] | 'number' } = {
  maxUidsPerCall: 'number',
  tooManyUids: ['refuse', 'truncate'],
  emptyRequest: ['accept', 'refuse'],
  unknownFields: ['refuse', 'ignore'],
  actingUser: ['member', 'anybody'],
  moderatorsAdd: ['nobody', 'participants'],
  moderatorsChange: ['moderators', 'participants', 'nobody'],
  selfActions: ['join-and-leave', 'refuse'],
  clearance: ['refuse-call', 'per-uid'],
  banningStrangers: ['ban', 'refuse'],
  editReply: ['success', 'action'],
  maxBodyBytes: 'number',
  replyLists: ['requested', 'all'],
  emptyList: ['object', 'array'],
  replyUids: ['lowercase', 'as-sent'],
  capitalIds: ['fold', 'unknown'],
  failureEntry: ['full', 'without-code', 'without-success'],
  actionSender: ['system', 'acting-user'],
  addingBanned: ['lift-ban', 'refuse'],
  maxGroupMembers: 'number',
  fullGroup: ['per-uid', 'refuse-call'],
  listBanned: [true, false],
  bannedAddress: ['bannedusers', 'banned_members', 'none'],
  pagination: ['right', 'absent', 'odd', 'sample'],
  readDelayMs: 'number',
  refusedKeyStatus: [401, 403, 404],
  keyScopeStatus: [403, 401],
  echoKey: [false, true],
  unknownGroupStatus: [404, 400],
  duplicateStatus: [400, 409],
  membersOfNewGroup: ['add', 'add-silently', 'ignore', 'refuse'],
  groupType: ['optional', 'required'],
  listsPerMinute: 'number',
  importsPerMinute: 'number',
  importFailure: ['per-key', 'end-call'],
  importReply: ['once', 'twice'],
  importDetails: ['create', 'ignore'],
  importMessages: ['none', 'written'],
  rateHeaders: ['X-Rate-Limit', 'X-RateLimit'],
};

/**
 * Reads switches written as `name=value`, several by commas.
 * @throws BAD_BEHAVIOUR, which shows the switch and what is allowed
 */
export function parseBehaviour(text: string): Partial<Behaviour> {
  const parts = text.split(',').map((part) => part.trim());
  return Object.fromEntries(parts.filter((part) => part !== '').map(parseSwitch));
}

function parseSwitch(text: string): readonly [name: string, value: unknown] {
  const [name = '', value = ''] = text.split('=', 2);
  if (!isSwitch(name)) {
    throw new RollcallError(
      'BAD_BEHAVIOUR',
      `${JSON.stringify(name)} is not a switch; allowed are ${Object.keys(BEHAVIOUR_VALUES).join(', ')}`,
    );
  }
  const allowed = BEHAVIOUR_VALUES[name];
  if (allowed === 'number') {
    if (/^\d{1,15}$/.test(value)) return [name, Number(value)];
    throw new RollcallError('BAD_BEHAVIOUR', `${name} is ${JSON.stringify(value)}; allowed is a whole number from 0`);
  }
  const found = allowed.find((one) => String(one) === value);
  if (found !== undefined) return [name, found];
  throw new RollcallError('BAD_BEHAVIOUR', `${name} is ${JSON.stringify(value)}; allowed are ${allowed.join(', ')}`);
}

function isSwitch(name: string): name is keyof Behaviour {
  return Object.hasOwn(BEHAVIOUR_VALUES, name);
}
