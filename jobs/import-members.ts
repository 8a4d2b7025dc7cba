import { z } from 'zod';
import type { ChatClient } from '../src/chat/chat-client.ts';
import { judge, refusedOutcome } from '../src/chat/error-policy.ts';
import { CALL_ENDED_BY_ENTITY, USER_MISSING } from '../src/chat/service/codes.ts';
import { LIST_OF_SCOPE, MEMBER_SCOPES } from '../src/chat/service/lists.ts';
import type { RowOutcome, Sent } from '../src/imports/record/batch-result.ts';
import type { BatchToSend } from '../src/imports/record/import-ledger.ts';
import { foldId } from '../src/membership/membership.ts';
import type { JobRun } from '../src/queue/job-definition.ts';
import { readRow } from './add-members.ts';
import { BATCH_FIELDS } from './batch-payload.ts';
import { afterReply, isByEntity, maybeEarlier } from './batch-policy.ts';
import { askNext, FOUND_IN_GROUP, LOOKED_FIELDS, lookFirst } from './repeats.ts';
import { type BatchPorts, batchJob } from './send-batch.ts';

/**
 * import-members: adds the rows of one batch, which may be of any groups, by the service's data import (send-batch.ts).
 * It writes no messages into the groups. Its queue is data-import-<region>-<app>, because these calls have a budget of
 * their own (docs/chat-service.md, 72).
 *
 * A repeat needs no question: the reply says who is a member already (76), and the outcome says that the earlier call
 * may be the reason. Where nothing more is sent, the groups are asked, and have the last word. Of a member who ends a
 * call it is asked whether the service knows the user at all: else the user can be created.
 */

/** Results of the groups that were asked. */
const asked = z.object({ groups: z.array(z.string()), found: z.array(z.int()), absent: z.array(z.int()) });

const payload = z.object({
  version: z.literal(1),
  ...BATCH_FIELDS,
  ...LOOKED_FIELDS,
  asked: asked.optional(),
  /** `joinedAt` in seconds since 1970; null: now. */
  members: z.array(z.tuple([z.int(), z.string(), z.string(), z.enum(MEMBER_SCOPES), z.int().nullable()])).min(1),
});
export type ImportMembersPayload = z.infer<typeof payload>;
type Member = ImportMembersPayload['members'][number];

export const importMembers = batchJob<ImportMembersPayload, Awaited<ReturnType<ChatClient['importEntities']>>>({
  name: 'import-members',
  payload,
  settle,
  send: (chat, batch, options) => {
    const entities = [...byKey(batch)].map(([memberId, [, uid, guid, scope, joinedAt]]) => {
      const member = { memberId, guid: foldId(guid), uid: foldId(uid), scope, ...(joinedAt !== null && { joinedAt }) };
      return [memberId, member] as const;
    });
    return chat.importEntities('members', new Map(entities), options);
  },
  judge: (batch, error) => {
    const verdict = judge(error, batch.members.length);
    // What is said of a group concerns the rows of one group.
    const isOfOne = verdict.kind === 'group' || isByEntity(batch.standing, verdict.code);
    return isOfOne ? { ...verdict, kind: batch.members.length > 1 ? 'halve' : 'final' } : verdict;
  },
  readAnswer: (batch, { entries }, ended) => {
    const read = { others: [], unsaid: [] };
    const sent = byKey(batch);
    for (const member of batch.members) {
      const [row, , , scope] = member;
      const key = keyOf(member);
      readRow(
        read,
        row,
        LIST_OF_SCOPE[scope],
        sent.get(key) === member ? entries.get(key) : undefined,
        batch.uncertainty,
      );
    }
    return { kind: 'answered', ...afterReply(read, ended) };
  },
  readRefusal: ({ members }, { kind, code, message }) => {
    if (kind === 'halve') return { kind, code, message };
    const outcome = members.length === 1 ? refusedOutcome('participants', code) : 'failed';
    return { kind: 'refused', outcome, code, message };
  },
  size: ({ members }) => members.length,
  repeatsSay: () => true,
  rows: ({ members }) => members.map(([row]) => [row, 'added']),
});

/** Asks the groups of a batch of which nothing more is sent: they have the last word. */
async function settle(job: JobRun<ImportMembersPayload>, ports: BatchPorts): Promise<Sent | undefined> {
  const { payload: batch } = job;
  if (batch.standing?.ended === undefined) return undefined;
  const { found, absent } = await askEachGroup(job, ports);
  const { absent: outcome = 'failed', ...ended } = batch.standing.ended;
  const [only, ...rest] = batch.members;
  const isAlone = only !== undefined && rest.length === 0 && absent.includes(only[0]);
  const isUnknown = isAlone && ended.code === CALL_ENDED_BY_ENTITY && (await isUserUnknown(job, ports, only));
  const { code, message } = isUnknown ? { code: USER_MISSING, message: 'the service does not know this user' } : ended;
  const others = batch.members.map(([row]): RowOutcome => {
    if (found.includes(row)) {
      return { row, outcome: 'already_member', code: FOUND_IN_GROUP, message: maybeEarlier(batch.uncertainty) };
    }
    if (!absent.includes(row)) return { row, outcome: 'unconfirmed', code, message };
    return { row, outcome, code, message: `${message}; afterwards this user was not in the group's list of members` };
  });
  return { kind: 'answered', others, missing: [] };
}

/** Asks who is a member of each group, one call with each start. */
async function askEachGroup(job: JobRun<ImportMembersPayload>, ports: BatchPorts) {
  const { payload: batch } = job;
  const known = batch.asked ?? { groups: [], found: [], absent: [] };
  for (const [guid, members] of Map.groupBy(batch.members, ([, , of]) => foldId(of))) {
    if (known.groups.includes(guid)) continue;
    const looked = guid === batch.guid ? batch.looked : undefined;
    const ofGroup = { ...job, payload: { ...batch, guid, looked, asked: known } };
    const wanted = members.map(([row, uid]) => ({ row, uid, ban: false }));
    const said = await lookFirst(ofGroup, ports, () => wanted);
    const found = said?.found ?? [];
    const absent = wanted.flatMap(({ row }) => (found.includes(row) ? [] : [row]));
    known.groups.push(guid);
    known.found.push(...found);
    if (said?.whole.includes('members')) known.absent.push(...absent);
  }
  return known;
}

/** Asks whether a user is unknown to the service, after the groups were asked. */
async function isUserUnknown(job: JobRun<ImportMembersPayload>, ports: BatchPorts, [, uid, guid]: Member) {
  const { looked: known, share } = job.payload;
  if (known === undefined || known.isUnknown !== undefined) return known?.isUnknown ?? false;
  return askNext(job, ports, known, { ask: 'user', guid, uid, page: 1, share }, (answer) => ({
    ...known,
    isUnknown: answer.kind === 'refused' && answer.code === USER_MISSING,
  }));
}

/** The members of a call. Two may have one key: the second one goes into a call of its own. */
function byKey({ members }: ImportMembersPayload): ReadonlyMap<string, Member> {
  const sent = new Map<string, Member>();
  for (const member of members) if (!sent.has(keyOf(member))) sent.set(keyOf(member), member);
  return sent;
}

function keyOf([, uid, guid]: Member): string {
  return foldId(`${guid}_member_${uid}`);
}

/** The rows of a batch that is sent in silence: no others than additions, as reading saw to it. */
export function membersOf({ rows }: BatchToSend): ImportMembersPayload['members'] {
  return rows.map(({ row, uid, guid = '', scope, joinedAt = null }) => {
    if (scope === 'ban') throw new Error('a ban cannot be sent in silence');
    return [row, uid, guid, scope, joinedAt];
  });
}
