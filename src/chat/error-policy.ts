import type { FactsOf } from '../errors/errors.ts';
import { isError } from '../errors/rollcall-error.ts';
/**
 * The meaning of a refused, failed or unreadable call, as data: looked up by the service's error code first
 * (service/codes.ts), by HTTP status second, and by the kind of failure where there was no reply. Statuses are publicly
 * known, not contract (docs/chat-service.md, 32).
 */

import type { TransportCode } from './call-errors.ts';
import type { MemberResult } from './member-entries.ts';
import {
  ACTOR_OUTSIDE,
  BARE_404,
  isOfService,
  meaningOf,
  NOT_A_MEMBER,
  NOT_THE_SERVICE,
  OPERATION_MISSING,
  type VerdictKind,
} from './service/codes.ts';
import type { MemberList } from './service/lists.ts';

export interface Verdict {
  readonly kind: VerdictKind;
  /** The service's code if it gave one, else HTTP_<status>, else the code of the failure (call-errors.ts). */
  readonly code: string;
  readonly message: string;
  /** Null where there was no HTTP reply. */
  readonly httpStatus: number | null;
  /** The wait in ms that the service asks for, for 'slow-down' and 'again'. */
  readonly waitMs?: number;
  /** Whether the service may have added members nevertheless, so that a repeat can meet "already a member". */
  readonly maybeCarriedOut: boolean;
}

/** All other statuses below 500 may concern one user of the call. */
const BY_STATUS: Readonly<Record<number, VerdictKind>> = {
  401: 'stop-region',
  402: 'stop-region',
  403: 'stop-region',
  408: 'again',
  425: 'again',
  429: 'slow-down',
};

/** The same where there was no reply that can be read. */
const BY_FAILURE: Readonly<Record<TransportCode | 'MALFORMED_REPLY' | 'INVALID_CALL', VerdictKind>> = {
  CONNECT_FAILED: 'again',
  CONNECT_TIMEOUT: 'again',
  // A proxy may show a wrong certificate for a moment. Nothing is sent meanwhile.
  CERTIFICATE_REFUSED: 'again',
  HEADERS_TIMEOUT: 'again',
  BODY_TIMEOUT: 'again',
  CONNECTION_LOST: 'again',
  MALFORMED_REPLY: 'again',
  INVALID_CALL: 'final',
};
const FAILURES = Object.keys(BY_FAILURE) as (keyof typeof BY_FAILURE)[];

/** Advice for refusals in which the service does not say what is wrong. */
function advice(httpStatus: number) {
  if (httpStatus === 401) return ' (the API key was not accepted)';
  if (httpStatus === 403) return ' (the API key may not do this; adding members needs the scope fullAccess)';
  return httpStatus === 404
    ? ' (probably it is not the chat service that answers here; check app id, region and host)'
    : '';
}

/** Shortest wait after a 429, in milliseconds: it uses no attempt, so that "wait 0" would spin. */
export const MIN_WAIT_MS = 1_000;

/**
 * @param error what a call of the client threw. Anything but a failed call is thrown again: ABORTED says nothing
 *   about the batch, and a fault of ours must not turn into refused rows.
 * @param uidsInCall number of UIDs in the call; one UID cannot be halved, so its verdict is 'final'
 * @param onBehalfOf the acting user of the call; empty when the service itself acts
 */
export function judge(error: unknown, uidsInCall: number, onBehalfOf = ''): Verdict {
  if (isError(error, 'REFUSED')) return judgeRefusal(error.facts, uidsInCall, onBehalfOf);
  if (!isError(error, ...FAILURES)) throw error;
  // The remedy is for those who try a connection; here, other calls may have been answered.
  const { code, what, facts } = error;
  const { httpStatus = null, maybeCarriedOut = false }: Partial<FactsOf<'MALFORMED_REPLY'>> = facts;
  return { kind: BY_FAILURE[code], code, message: what, httpStatus, maybeCarriedOut };
}

function judgeRefusal(refusal: FactsOf<'REFUSED'>, uidsInCall: number, onBehalfOf: string): Verdict {
  const { httpStatus, serviceCode, rate, foreign = null, doubtful = false } = refusal;
  const found = foreign === null ? kindOf(refusal, onBehalfOf !== '') : kindOfForeign(httpStatus);
  const kind = found === 'halve' && uidsInCall <= 1 ? 'final' : found;
  const waitMs = kind === 'slow-down' && rate.waitMs !== undefined ? Math.max(rate.waitMs, MIN_WAIT_MS) : rate.waitMs;
  return {
    kind,
    code:
      foreign !== null && found === 'again' && httpStatus < 500
        ? NOT_THE_SERVICE
        : (serviceCode ?? `HTTP_${httpStatus}`),
    message: messageOf(refusal),
    httpStatus,
    ...((kind === 'slow-down' || kind === 'again') && waitMs !== undefined && { waitMs }),
    // A faulty server may have stopped halfway; members are added one after another (docs/chat-service.md, 19).
    maybeCarriedOut: kind === 'again' || doubtful,
  };
}

function kindOf({ httpStatus, serviceCode, doubtful }: FactsOf<'REFUSED'>, actsForUser: boolean): VerdictKind {
  if (doubtful && (serviceCode === null || meaningOf(serviceCode) === undefined)) return 'again';
  const byStatus = kindOfStatus(httpStatus);
  // A missing user or group has a code. A bare 404 comes from a proxy or a wrong host, which every call would get.
  if (serviceCode === null) return httpStatus === 404 ? 'again' : byStatus;
  const known = meaningOf(serviceCode);
  if (known !== undefined) return known.kind;
  // An unknown 401 or 403 of the service itself may mean the acting user, who must never stop the others.
  return byStatus === 'stop-region' && actsForUser && isOfService(serviceCode) ? 'halve' : byStatus;
}

function kindOfStatus(httpStatus: number): VerdictKind {
  return BY_STATUS[httpStatus] ?? (httpStatus >= 500 ? 'again' : 'halve');
}

/**
 * A reply of something in between says nothing about key or rows, and the fault often ends within a minute. The meaning
 * of a status about time or size holds in any case.
 */
function kindOfForeign(httpStatus: number): VerdictKind {
  const byStatus = kindOfStatus(httpStatus);
  return httpStatus === 413 || byStatus === 'slow-down' ? byStatus : 'again';
}

function messageOf({ httpStatus, serviceCode, serviceMessage, foreign = null }: FactsOf<'REFUSED'>) {
  if (foreign !== null) {
    return `HTTP ${httpStatus} with ${foreign}: probably not the chat service, but a proxy, firewall or login page on the way to it (check the network, HTTPS_PROXY, and app id, region and host)`;
  }
  if (serviceCode !== null) return serviceMessage || 'the service gave no message';
  return (serviceMessage || `HTTP ${httpStatus} without an error code`) + advice(httpStatus);
}

/** Code of a refused UID for which the service gave none. */
export const NO_CODE = 'NO_CODE';

/** Code of a UID whose entry says neither yes nor no. */
const UNCLEAR = 'MALFORMED_REPLY';

/** Codes that mean "already in the requested state", by list. A banned user is not a member, and the reverse. */
const ALREADY_A_MEMBER: ReadonlySet<string> = new Set(['ERR_ALREADY_JOINED', 'ERR_SAME_SCOPE']);
const ALREADY_SO: Readonly<Record<MemberList, ReadonlySet<string>>> = {
  admins: ALREADY_A_MEMBER,
  moderators: ALREADY_A_MEMBER,
  participants: ALREADY_A_MEMBER,
  usersToBan: new Set(['ERR_ALREADY_BANNED']),
};

type RefusedOutcome = 'already_member' | 'banned' | 'failed';

/** Outcome of a UID of this list when it is refused with this code; also for rows of a 'final' verdict. */
export function refusedOutcome(list: MemberList, code: string): RefusedOutcome {
  if (!ALREADY_SO[list].has(code)) return 'failed';
  return list === 'usersToBan' ? 'banned' : 'already_member';
}

/**
 * Outcome of one UID in a reply (docs/chat-service.md, 22): `success === true` decides, and nothing else. Null for an entry that
 * says neither yes nor no. Code and message are null for a success; of a user who was banned before, they are the refusal that says so.
 */
export function readEntry(list: MemberList, { success, error }: MemberResult) {
  if (success === true) return { outcome: list === 'usersToBan' ? 'banned' : 'added', code: null, message: null };
  if (success === undefined) {
    return { outcome: null, code: UNCLEAR, message: `the entry says neither yes nor no: ${error?.message}` };
  }
  const code = error?.code || NO_CODE;
  return { outcome: refusedOutcome(list, code), code, message: error?.message || 'the service gave no message' };
}

/** Whether the code of a refused UID would repeat a whole call: the UID is sent again. */
export function isRefusedForNow(code: string) {
  return meaningOf(code)?.kind === 'again' || isTooMany(code);
}

/** Whether nothing was processed because there were too many calls. */
export function isTooMany(code: string) {
  return meaningOf(code)?.kind === 'slow-down';
}

/** Codes of failures that say nothing about whether the service answers. */
const OURS: ReadonlySet<string> = new Set(['WORKER_FAULT', 'UNTRUSTED_LISTING']);

/** Whether the call had no usable answer, as when the service is away: the circuit breaker counts such calls. */
export function isNoAnswer({ kind, code }: { readonly kind: string; readonly code: string }) {
  return kind === 'again' && !OURS.has(code);
}

const FIRST_BACKOFF_MS = 1_000;
export const MAX_BACKOFF_MS = 60_000;

/**
 * Wait before the next attempt, in ms: full jitter, from 0 to a ceiling that starts at one second, doubles with every
 * attempt and ends at a minute, so that batches that failed together do not come back together. @param attempt from 1
 */
export function backoffMs(attempt: number, random: number) {
  return Math.round(random * Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (Math.max(attempt, 1) - 1)));
}

/** The meaning of errors for edits (member-client.ts), where it differs. Publicly known codes, not contract. */

/** Operations that change one member of a group. */
export type EditOperation = 'change-scope' | 'remove' | 'unban';

export interface EditVerdict extends Omit<Verdict, 'kind'> {
  /** `in-place`: the member was already as requested. Never `halve`: an edit has one UID. */
  readonly kind: Exclude<VerdictKind, 'halve'> | 'in-place';
}

/** Codes of an operation that the service does not have. It is not part of the contract, and the others must continue. */
const NOT_THERE: ReadonlySet<string> = new Set([OPERATION_MISSING, BARE_404]);

/** Codes that mean "already in the requested state", by action. */
const IN_PLACE: Readonly<Record<EditOperation, readonly string[]>> = {
  'change-scope': ['ERR_SAME_SCOPE'],
  // A banned user is not a member any more, and the service refuses to remove one.
  remove: [NOT_A_MEMBER, 'ERR_BANNED_GROUPMEMBER'],
  unban: ['ERR_NOT_A_BANNED_USER'],
};

/** Judges an edit as `judge` does an addition. @param onBehalfOf the acting user; empty when the service itself acts */
export function judgeEdit(operation: EditOperation, error: unknown, onBehalfOf = ''): EditVerdict {
  const verdict = judge(error, 1, onBehalfOf);
  return { ...verdict, kind: editKind(operation, verdict, onBehalfOf !== '') };
}

function editKind(operation: EditOperation, { code, kind }: Verdict, actsForUser: boolean): EditVerdict['kind'] {
  if (IN_PLACE[operation].includes(code)) return 'in-place';
  // Documented for the acting user. Without one, it can only mean that the member is not in the group.
  if (code === ACTOR_OUTSIDE && operation === 'remove' && !actsForUser) return 'in-place';
  // `judge` never answers `halve` for a call of one UID, but its type does not say so.
  return NOT_THERE.has(code) || kind === 'halve' ? 'final' : kind;
}

/** The meaning of a failed reading: `final` concerns this group alone. Other errors are thrown again. */
export function judgeReading(error: unknown, onBehalfOf = ''): Verdict {
  if (isError(error, 'UNTRUSTED_LISTING')) {
    const { code, message } = error;
    return { kind: 'again', code, message, httpStatus: null, maybeCarriedOut: false };
  }
  const verdict = judge(error, 1, onBehalfOf);
  return NOT_THERE.has(verdict.code) ? { ...verdict, kind: 'final' } : verdict;
}
