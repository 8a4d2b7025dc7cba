import { z } from 'zod';
import type { AskBeforeRepeat } from '../src/platform/settings.ts';
import { type JobRun, SlowDown } from '../src/queue/define-job.ts';
import { type AskingPorts, askAboutGroup, type ServiceAnswer } from './ask-service.ts';
import type { BatchPayload } from './send-batch.ts';
import { uncertaintyOf } from './uncertainty.ts';

/**
 * Before an addition is repeated that may have been carried out, its group is asked who is a member: who is there is not
 * added a second time. The members are read first and, where users of the batch are among them, the banned, because the
 * list of members may hold them (docs/chat-service.md, 47). Each start of the job makes one of these calls. A user who was
 * just added may be missing in the list (48): such a user is added again, as without the question.
 */

/** What the lists have said. */
const looked = z.object({
  /** Calls of the batch without an answer when the reading began: after another one it is out of date. */
  after: z.int(),
  /** The list that is read next; `none` at the end. */
  next: z.enum(['members', 'banned', 'none']),
  /** Its page, from 1. */
  page: z.int(),
  /** Rows whose users are in the group. */
  found: z.array(z.int()),
  /** Whether every page of the members was read. */
  whole: z.boolean(),
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

type Row = readonly [row: number, uid: string];

/**
 * Makes the call that is due, if one is; it takes this start of the job.
 * @param users rows of the batch that add a user
 * @returns what the lists have said; undefined where the group need not be asked
 * @throws SlowDown after a call, so that the next start goes on
 */
export async function lookFirst(
  job: JobRun<BatchPayload & { readonly looked?: Looked | undefined }>,
  ports: LookingPorts,
  users: readonly Row[],
): Promise<Looked | undefined> {
  const { payload, starts } = job;
  if (!asksGroups(ports) || users.length === 0) return undefined;
  if (uncertaintyOf(payload, starts - 1) === null) return undefined;
  const after = payload.calls.filter(({ kind }) => kind === 'again').length;
  const known: Looked =
    payload.looked?.after === after ? payload.looked : { after, next: 'members', page: 1, found: [], whole: false };
  if (known.next === 'none') return known;
  const counted = { ...payload, handedBack: payload.handedBack + 1 };
  const { guid, share } = payload;
  const answer = await askAboutGroup(job, ports, { ask: known.next, guid, page: known.page, share }).catch(
    async (error: unknown) => {
      await job.update(counted);
      throw error;
    },
  );
  await job.update({ ...counted, looked: afterPage(known, answer, users, ports.askBeforeRepeat) });
  throw new SlowDown(0);
}

function afterPage(known: Looked, answer: ServiceAnswer, users: readonly Row[], ask?: AskBeforeRepeat): Looked {
  const { page } = known;
  if (answer.kind === 'members') {
    const listed = new Set(answer.members.map(([uid]) => uid.toLowerCase()));
    const found = [...known.found, ...users.filter(([, uid]) => listed.has(uid.toLowerCase())).map(([row]) => row)];
    const more = hasMore(answer, listed.size, page);
    if (more && ask === 'always') return { ...known, found, page: page + 1 };
    return { ...known, found, whole: !more, next: found.length > 0 ? 'banned' : 'none', page: 1 };
  }
  if (answer.kind === 'banned') {
    const banned = new Set(answer.uids.map((uid) => uid.toLowerCase()));
    const out = new Set(users.filter(([, uid]) => banned.has(uid.toLowerCase())).map(([row]) => row));
    const found = known.found.filter((row) => !out.has(row));
    if (hasMore(answer, banned.size, page)) return { ...known, found, page: page + 1 };
    return { ...known, found, next: 'none' };
  }
  // The service cannot be asked: nothing is known.
  return { ...known, found: [], whole: false, next: 'none' };
}

/** Without a number of pages, only an empty page is the end. */
function hasMore(
  { pagination }: { readonly pagination?: { readonly totalPages?: number | undefined } | undefined },
  entries: number,
  page: number,
): boolean {
  return entries > 0 && (pagination?.totalPages === undefined || page < pagination.totalPages);
}
