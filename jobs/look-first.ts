import { z } from 'zod';
import { foldId } from '../src/membership/membership.ts';
import type { AskBeforeRepeat } from '../src/platform/settings.ts';
import { type JobRun, SlowDown } from '../src/queue/define-job.ts';
import { type AskingPorts, askAboutGroup, type ServiceAnswer } from './ask-service.ts';
import type { BatchPayload } from './send-batch.ts';
import { uncertaintyOf } from './uncertainty.ts';

/**
 * Before a batch is repeated that may have been carried out, its group is asked who is a member and who is banned: that is
 * not done a second time. The banned are read for rows that ban, and where users to add are among the members, because
 * the list of members may hold the banned (docs/chat-service.md, 47). Each start of the job makes one of these calls. A
 * user who was just added may be missing in the list (48): such a user is added again, as without the question.
 */

/** Pages of a group's members, of 1,000, that `auto` reads. A repeated call writes messages; more calls than these cost more. */
const MAX_AUTO_PAGES = 10;

/** Findings from the lists. */
const looked = z.object({
  /** Calls of the batch without an answer when the reading began: after another one it is out of date. */
  after: z.int(),
  /** The list that is read next; `none` at the end. */
  next: z.enum(['members', 'banned', 'none']),
  /** Its page, from 1. */
  page: z.int(),
  /** Rows that are as asked: the user is in the group, or banned from it. */
  found: z.array(z.int()),
  /** Lists of which every page was read. */
  whole: z.array(z.enum(['members', 'banned'])),
});
export type Looked = z.infer<typeof looked>;

export const LOOKED_FIELDS = { looked: looked.optional() };

export interface LookingPorts extends AskingPorts {
  /** Absent: never. */
  readonly askBeforeRepeat?: AskBeforeRepeat | undefined;
}

export function asksGroups({ askBeforeRepeat = 'never' }: LookingPorts): boolean {
  return askBeforeRepeat !== 'never';
}

/** A membership or ban that a batch asks for. */
export interface Wanted {
  readonly row: number;
  readonly uid: string;
  readonly ban: boolean;
}

/**
 * Makes the call that is due, if one is; it takes this start of the job.
 * @param isLastWord nothing is sent afterwards, so a list of any length is read to its end: what it says is the outcome
 * @returns what the lists have said; undefined where the group need not be asked
 * @throws SlowDown after a call, so that the next start goes on
 */
export async function lookFirst(
  job: JobRun<BatchPayload & { readonly looked?: Looked | undefined }>,
  ports: LookingPorts,
  wanted: readonly Wanted[],
  isLastWord: boolean,
): Promise<Looked | undefined> {
  const { payload, starts } = job;
  if (!asksGroups(ports)) return undefined;
  if (uncertaintyOf(payload, starts - 1) === null) return undefined;
  const after = payload.calls.filter(({ kind }) => kind === 'again').length;
  const known: Looked =
    payload.looked?.after === after
      ? payload.looked
      : { after, next: wanted.every(({ ban }) => ban) ? 'banned' : 'members', page: 1, found: [], whole: [] };
  if (known.next === 'none') return known;
  const counted = { ...payload, handedBack: payload.handedBack + 1 };
  const { guid, share } = payload;
  const answer = await askAboutGroup(job, ports, { ask: known.next, guid, page: known.page, share }).catch(
    async (error: unknown) => {
      await job.update(counted);
      throw error;
    },
  );
  await job.update({
    ...counted,
    looked: afterPage(known, answer, wanted, isLastWord || ports.askBeforeRepeat === 'always'),
  });
  throw new SlowDown(0);
}

function afterPage(known: Looked, answer: ServiceAnswer, wanted: readonly Wanted[], always: boolean): Looked {
  const { page, whole } = known;
  if (answer.kind === 'members') {
    const listed = new Set(answer.members.map(([uid]) => foldId(uid)));
    const found = [...known.found, ...rowsIn(listed, wanted, false)];
    const more = hasMore(answer, listed.size, page);
    if (more && (always || (answer.pagination?.totalPages ?? page + 1) <= MAX_AUTO_PAGES))
      return { ...known, found, page: page + 1 };
    const next = found.length > 0 || wanted.some(({ ban }) => ban) ? 'banned' : 'none';
    return { ...known, found, next, page: 1, whole: more ? whole : [...whole, 'members'] };
  }
  if (answer.kind === 'banned') {
    const banned = new Set(answer.uids.map(foldId));
    const out = new Set(rowsIn(banned, wanted, false));
    const found = [...known.found.filter((row) => !out.has(row)), ...rowsIn(banned, wanted, true)];
    if (hasMore(answer, banned.size, page)) return { ...known, found, page: page + 1 };
    return { ...known, found, next: 'none', whole: [...whole, 'banned'] };
  }
  // The service cannot be asked: nothing is known.
  return { ...known, found: [], whole: [], next: 'none' };
}

/** Rows to add, or to ban, whose users are in the list. */
function rowsIn(listed: ReadonlySet<string>, wanted: readonly Wanted[], ban: boolean): number[] {
  return wanted.filter((one) => one.ban === ban && listed.has(foldId(one.uid))).map(({ row }) => row);
}

/** Without a number of pages, only an empty page is the end. */
function hasMore(
  { pagination }: { readonly pagination?: { readonly totalPages?: number | undefined } | undefined },
  entries: number,
  page: number,
): boolean {
  return entries > 0 && (pagination?.totalPages === undefined || page < pagination.totalPages);
}
