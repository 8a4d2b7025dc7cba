import { z } from 'zod';
import { GROUP_MISSING } from '../src/chat/service/codes.ts';
import type { MemberScope } from '../src/chat/service/lists.ts';
import { foldId } from '../src/membership/membership.ts';
import { type JobRun, SlowDown } from '../src/queue/job-definition.ts';
import { type Asked, askOnce, type ServiceAnswer } from './ask-service.ts';
import type { BatchPayload } from './batch-payload.ts';
import { ATTEMPTS } from './batch-policy.ts';
import { asksGroups, type BatchPorts, handedBack } from './send-batch.ts';
import { SendAgain } from './service-call.ts';

/**
 * Before a batch is repeated that may have been carried out, its group is asked who is a member and who is banned: that is
 * not done a second time. The list of members is read; where it has more pages than there are users to add, each of these
 * users is asked for alone instead (docs/chat-service.md, 69). The list of banned users is read for rows that ban, and
 * where users to add are among the members, because the list of members may hold the banned (47). Each start of the job
 * makes one of these calls. A user who was just added may be missing in the list (48): such a user is added again, as
 * without the question.
 */

/** Pages of a group's members, of 1,000, that `auto` reads where the service does not say whether one user is a member. */
const MAX_AUTO_PAGES = 10;

/** Code of a row that is as asked by what its group says, after a call without a usable answer. */
export const FOUND_IN_GROUP = 'FOUND_IN_GROUP';

const looked = z.object({
  /** Calls of the batch without an answer when the reading began: after another one it is out of date. */
  after: z.int(),
  /** The list that is read next; `none` at the end. */
  next: z.enum(['members', 'banned', 'none']),
  /** Its page, from 1. */
  page: z.int(),
  /** Rows that are as asked: the user is in the group, or banned from it. */
  found: z.array(z.int()),
  /** Questions in a row that were not answered: they use up no calls of the batch. */
  failed: z.int().optional(),
  /** Lists of which every page was read, or every user to add was asked for. */
  whole: z.array(z.enum(['members', 'banned'])),
  /**
   * Set while users to add are asked for one by one in place of `page`: the rows that were, and those of which nothing was said.
   * `ended` where the service does not tell. An older worker reads the list instead.
   */
  users: z.object({ asked: z.array(z.int()), unsaid: z.array(z.int()), ended: z.boolean() }).optional(),
  /** Whether the service does not know the user of the batch's only row; absent where that was not asked. */
  isUnknown: z.boolean().optional(),
});
export type Looked = z.infer<typeof looked>;

export const LOOKED_FIELDS = { looked: looked.optional() };

/** A membership or ban that a batch asks for. */
export interface Wanted {
  readonly row: number;
  readonly uid: string;
  readonly ban: boolean;
  /** The scope that a member has to have. Absent: any. */
  readonly scope?: MemberScope;
}

/**
 * Makes the call that is due, if one is; it takes this start of the job. Where nothing is sent afterwards, a list of any
 * length is read to its end: what it says is the outcome.
 * @returns what the lists have said; undefined where the group need not be asked
 * @throws SlowDown after a call, so that the next start goes on
 */
export async function lookFirst<Payload extends BatchPayload & { readonly looked?: Looked | undefined }>(
  job: JobRun<Payload>,
  ports: BatchPorts,
  wantedBy: (batch: Payload) => readonly Wanted[],
): Promise<Looked | undefined> {
  const { payload } = job;
  if (!asksGroups(ports) || payload.uncertainty === null) return undefined;
  const wanted = wantedBy(payload);
  const after = unansweredCalls(payload);
  const known: Looked =
    payload.looked?.after === after
      ? payload.looked
      : { after, next: wanted.every(({ ban }) => ban) ? 'banned' : 'members', page: 1, found: [], whole: [] };
  if (known.next === 'none') return known;
  const { guid, share } = payload;
  const user = nextUser(known, wanted);
  const ask = user === undefined ? known.next : 'membership';
  const always = payload.standing?.ended !== undefined || ports.askBeforeRepeat === 'always';
  return askNext(job, ports, known, { ask, guid, uid: user?.uid, page: known.page, share }, (answer) =>
    user === undefined ? afterPage(known, answer, wanted, always) : afterUser(known, answer, wanted, user),
  );
}

/**
 * Asks in place of a call of the batch, and keeps the answer in its payload. @throws SlowDown: the next start goes on
 */
export async function askNext<Known extends { readonly failed?: number | undefined }>(
  job: JobRun<BatchPayload & { readonly looked?: Known | undefined }>,
  ports: BatchPorts,
  known: Known,
  question: Asked,
  learn: (answer: ServiceAnswer) => Known,
): Promise<never> {
  const { payload, update } = job;
  const counted = handedBack(payload);
  const failed = (known.failed ?? 0) + 1;
  const asking = { ...job, payload: question, attemptsMade: failed - 1, isLastAttempt: failed >= ATTEMPTS };
  const answer = await askOnce(asking, ports).catch(async (error: unknown) => {
    await update({ ...counted, looked: error instanceof SendAgain ? { ...known, failed } : known });
    throw error;
  });
  await update({ ...counted, looked: { ...learn(answer), failed: undefined } });
  throw new SlowDown(0);
}

export function unansweredCalls({ calls }: Pick<BatchPayload, 'calls'>): number {
  return calls.filter(({ kind }) => kind === 'again').length;
}

function afterPage(known: Looked, answer: ServiceAnswer, wanted: readonly Wanted[], always: boolean): Looked {
  const { page, users, whole } = known;
  if (answer.kind === 'members') {
    const listed = new Map(answer.entries.map(({ uid, scope }) => [foldId(uid), scope]));
    const members = wanted.filter((one) => !one.ban && hasScope(one, listed.get(foldId(one.uid))));
    const read = { ...known, found: [...known.found, ...members.map(({ row }) => row)], page: page + 1 };
    const pages = answer.pagination?.totalPages ?? (page < MAX_AUTO_PAGES ? page + 1 : Number.POSITIVE_INFINITY);
    const others = wanted.filter(({ row, ban }) => !ban && !read.found.includes(row)).length;
    if (others === 0 || !hasMore(answer, page)) return afterMembers(read, wanted, true);
    if (users === undefined && pages - page > others)
      return { ...read, users: { asked: [], unsaid: [], ended: false } };
    return always || pages <= MAX_AUTO_PAGES ? read : afterMembers(read, wanted, false);
  }
  if (answer.kind === 'banned') {
    const banned = new Set(answer.entries.map(({ uid }) => foldId(uid)));
    const listed = wanted.filter(({ uid }) => banned.has(foldId(uid)));
    const others = known.found.filter((found) => !listed.some(({ row }) => row === found));
    const found = [...others, ...listed.flatMap(({ row, ban }) => (ban ? row : []))];
    if (hasMore(answer, page)) return { ...known, found, page: page + 1 };
    return { ...known, found, next: 'none', whole: [...whole, 'banned'] };
  }
  // Nobody is in a group that is not there.
  const isNobody = answer.kind === 'refused' && answer.code === GROUP_MISSING;
  return isNobody ? { ...known, found: [], next: 'none', whole: ['members', 'banned'] } : nothingKnown(known);
}

/** @returns the user who is asked for now; undefined where a list is read */
function nextUser({ next, found, users }: Looked, wanted: readonly Wanted[]): Wanted | undefined {
  if (next !== 'members' || users === undefined || users.ended) return undefined;
  return wanted.find(({ row, ban }) => !ban && !found.includes(row) && !users.asked.includes(row));
}

/** @param scope undefined or null: the user is no member */
function hasScope(wanted: Wanted, scope: string | null | undefined): boolean {
  if (scope === undefined || scope === null) return false;
  return wanted.scope === undefined || scope.toLowerCase() === wanted.scope;
}

function afterUser(known: Looked, answer: ServiceAnswer, wanted: readonly Wanted[], user: Wanted): Looked {
  const { row } = user;
  const { asked, unsaid } = known.users ?? { asked: [], unsaid: [] };
  const users = { asked: [...asked, row], unsaid, ended: false };
  if (answer.kind === 'membership' && !answer.isKnown) return { ...known, users: { ...users, ended: true } };
  if (answer.kind === 'refused' && answer.region) return nothingKnown(known);
  // A refusal is about this user, who may not read the group or does not exist.
  if (answer.kind !== 'membership') users.unsaid = [...unsaid, row];
  const isMember = answer.kind === 'membership' && hasScope(user, answer.scope);
  const next = { ...known, users, found: isMember ? [...known.found, row] : known.found };
  return nextUser(next, wanted) === undefined ? afterMembers(next, wanted, users.unsaid.length === 0) : next;
}

/** @param isWhole whether all users to add were looked for */
function afterMembers(known: Looked, wanted: readonly Wanted[], isWhole: boolean): Looked {
  const next = known.found.length > 0 || wanted.some(({ ban }) => ban) ? 'banned' : 'none';
  return { ...known, next, page: 1, whole: isWhole ? [...known.whole, 'members'] : known.whole };
}

/** The service cannot be asked. */
function nothingKnown(known: Looked): Looked {
  return { ...known, found: [], whole: [], next: 'none' };
}

/** Without a number of pages, only an empty page is the end. */
function hasMore(
  { entries, pagination }: Extract<ServiceAnswer, { kind: 'members' | 'banned' }>,
  page: number,
): boolean {
  return entries.length > 0 && (pagination?.totalPages === undefined || page < pagination.totalPages);
}
