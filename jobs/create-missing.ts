import { z } from 'zod';
import type { ReplyMeta } from '../src/chat/call.ts';
import { importedGroup, newGroup, newUser } from '../src/chat/directory-client.ts';
import { judge } from '../src/chat/error-policy.ts';
import type { MemberEntries } from '../src/chat/member-entries.ts';
import { GROUP_MISSING, isIdTaken, OPERATION_MISSING, USER_MISSING } from '../src/chat/service/codes.ts';
import type { CreationOutcome, Sent } from '../src/imports/record/batch-result.ts';
import type { CreationToSend } from '../src/imports/record/creating.ts';
import type { BatchToSend } from '../src/imports/record/import-ledger.ts';
import { foldId } from '../src/membership/membership.ts';
import type { JobRun } from '../src/queue/job-definition.ts';
import { listedIn, listedRows, listsOf, readEntries, requestOf, rowsOf } from './add-members.ts';
import { BATCH_FIELDS } from './batch-payload.ts';
import { afterReply, isByEntity, maybeEarlier } from './batch-policy.ts';
import { askNext, unansweredCalls } from './repeats.ts';
import { asksGroups, type BatchPorts, batchJob } from './send-batch.ts';

/**
 * create-missing: checks whether a group exists, creates a user or a group, or reactivates users (send-batch.ts). For a
 * silent import it creates users or groups by the data import, which may give a group the time of its creation. A group
 * is created with the rows of its first members, each of which gets its outcome.
 *
 * Repeats are harmless: what the earlier call created exists already. It counts as created, and `message` says so. A
 * reply to a reactivation does not name who was active already: before a repeat, each user is asked for.
 */
const looked = z.object({
  /** Calls of the batch without an answer when the asking began: after another one it is out of date. */
  after: z.int(),
  /** UIDs that were asked for, and those of them that are active. */
  asked: z.array(z.string()),
  active: z.array(z.string()),
  /** Set where the service does not say it. */
  ended: z.boolean().optional(),
  /** Questions in a row that were not answered: they use up no calls of the batch. */
  failed: z.int().optional(),
});
const payload = z.object({
  version: z.literal(1),
  ...BATCH_FIELDS,
  /** Findings about users to reactivate. */
  looked: looked.optional(),
  create: z.discriminatedUnion('what', [
    z.object({ what: z.literal('look'), guid: z.string() }),
    z.object({ what: z.literal('user'), profile: newUser }),
    z.object({
      what: z.literal('group'),
      profile: newGroup,
      lists: listedRows,
      /** The user who creates the group; absent: the service itself. */
      onBehalfOf: z.string().optional(),
    }),
    z.object({ what: z.literal('reactivate'), uids: z.array(z.string()).min(1) }),
    z.object({
      what: z.literal('import'),
      of: z.enum(['users', 'groups']),
      profiles: z.array(z.union([newUser, importedGroup])).min(1),
    }),
  ]),
});
export type CreateMissingPayload = z.infer<typeof payload>;

type Reply = ReplyMeta & {
  readonly entries?: MemberEntries;
  readonly uids?: ReadonlySet<string> | undefined;
};

export const createMissing = batchJob<CreateMissingPayload, Reply>({
  name: 'create-missing',
  payload,
  settle: async (job, ports) => {
    const { create, standing } = job.payload;
    if (create.what !== 'reactivate') return undefined;
    const known = await lookAtUsers(job, ports, create.uids);
    const rest = inactive(create.uids, known);
    return rest.length > 0 && standing?.ended === undefined ? undefined : settled(job.payload, rest);
  },
  // Looking is the question for a group.
  operation: ({ create }) =>
    create.what === 'look'
      ? 'group'
      : create.what === 'group'
        ? 'create-group'
        : create.what === 'import'
          ? `import-${create.of}`
          : create.what,
  send: async (chat, { create, looked: known }, { signal }): Promise<Reply> => {
    switch (create.what) {
      case 'look':
        return chat.getGroup(create.guid, { signal });
      case 'user':
        return chat.createUser(create.profile, { signal });
      case 'group':
        return chat.createGroup(create.profile, requestOf(listedIn(create.lists)), {
          signal,
          onBehalfOf: create.onBehalfOf,
        });
      case 'reactivate':
        return chat.reactivateUsers(inactive(create.uids, known), { signal });
      case 'import':
        return chat.importEntities(create.of, entitiesOf(create), { signal });
    }
  },
  judge: (batch, error) => {
    const { create } = batch;
    const verdict = judge(error, sizeOf(batch), create.what === 'group' ? create.onBehalfOf : undefined);
    if (create.what === 'import' && isByEntity(batch.standing, verdict.code))
      return { ...verdict, kind: sizeOf(batch) > 1 ? 'halve' : 'final' };
    // Not part of the contract: if the service lacks this operation, the others must continue.
    return verdict.code === OPERATION_MISSING ? { ...verdict, kind: 'final' } : verdict;
  },
  readAnswer: (batch, reply, ended) => {
    const { create, uncertainty } = batch;
    switch (create.what) {
      case 'look':
        return made('existing');
      case 'user':
        return made('created');
      case 'group': {
        const read = readEntries(listedIn(create.lists), reply.entries ?? new Map(), uncertainty);
        return { ...made('created'), ...afterReply(read, ended) };
      }
      case 'reactivate':
        return reactivated(batch, reply.uids);
      case 'import':
        return { ...made('created'), each: eachOf(create, reply.entries ?? new Map(), uncertainty) };
    }
  },
  readRefusal: ({ create, uncertainty }, { kind, code, message }) => {
    if (create.what === 'look' && code === GROUP_MISSING) return made('missing', code, message);
    if (isIdTaken(code)) return { ...made('existing'), ...taken(code, message, uncertainty) };
    return kind === 'halve' ? { kind, code, message } : { kind: 'refused', outcome: 'failed', code, message };
  },
  size: sizeOf,
  asks: ({ create }) => create.what === 'reactivate',
  repeatsSay: ({ create }) => create.what === 'import',
  rows: ({ create }) => (create.what === 'group' ? rowsOf(create.lists) : []),
});

/** Asks which of these users are active, one with each start. @returns undefined where nothing need be asked */
async function lookAtUsers(
  job: JobRun<CreateMissingPayload>,
  ports: BatchPorts,
  uids: readonly string[],
): Promise<Looked | undefined> {
  const { payload: batch } = job;
  if (!asksGroups(ports) || batch.uncertainty === null) return undefined;
  const after = unansweredCalls(batch);
  const before: Looked = batch.looked ?? { after, asked: [], active: [] };
  const known = before.after === after ? before : { after, asked: before.active, active: before.active };
  const uid = uids.find((name) => !known.asked.includes(name));
  if (known.ended || uid === undefined) return known;
  const { guid, share } = batch;
  return askNext(job, ports, known, { ask: 'user', guid, uid, page: 1, share }, (answer) => {
    const asked = [...known.asked, uid];
    if (answer.kind === 'user' && answer.user.deactivatedAt === null) {
      return { ...known, asked, active: [...known.active, uid] };
    }
    // Who is deactivated is unknown to the service. Any other refusal would be the same for the next user.
    const isSaid = answer.kind === 'user' || (answer.kind === 'refused' && answer.code === USER_MISSING);
    return isSaid ? { ...known, asked } : { ...known, ended: true };
  });
}

type Looked = z.infer<typeof looked>;

/** The users who are not known to be active. */
function inactive(uids: readonly string[], known: Looked | undefined): readonly string[] {
  return uids.filter((uid) => !known?.active.includes(uid));
}

/** @param named UIDs that the reply names; undefined where it names none */
function reactivated({ looked: known, uncertainty }: CreateMissingPayload, named: Iterable<string> | undefined): Sent {
  const earlier = known?.active ?? [];
  const message = earlier.length > 0 ? maybeEarlier(uncertainty) : '';
  return {
    ...made('reactivated', '', message),
    ...(named !== undefined && { uids: [...earlier.map(foldId), ...named] }),
  };
}

/** The outcome of users of whom nothing more is sent. @param rest those who are not known to be active */
function settled(batch: CreateMissingPayload, rest: readonly string[]): Sent {
  const { looked: known, standing } = batch;
  if (rest.length === 0 || (known?.active.length ?? 0) > 0) return reactivated(batch, []);
  const { code, message } = standing?.ended ?? { code: '', message: '' };
  return { kind: 'unanswered', maybeCarriedOut: true, code, message };
}

/** One of the members may be the reason of a failure: the group can be tried again without them. */
function sizeOf({ create }: Pick<CreateMissingPayload, 'create'>): number {
  if (create.what === 'import') return create.profiles.length;
  return create.what === 'group' && listedIn(create.lists).length > 0 ? 2 : 1;
}

function made(outcome: CreationOutcome, code = '', message = ''): Extract<Sent, { kind: 'made' }> {
  return { kind: 'made', outcome, code, message, others: [], missing: [] };
}

type Import = Extract<CreateMissingPayload['create'], { what: 'import' }>;

function entitiesOf({ profiles }: Import): ReadonlyMap<string, object> {
  const entities = profiles.map((profile): [string, object] => {
    const owner = 'owner' in profile && profile.owner !== undefined && { owner: foldId(profile.owner) };
    const id = 'guid' in profile ? { guid: foldId(profile.guid) } : { uid: foldId(profile.uid) };
    return [nameOf(profile), { ...profile, ...id, ...owner }];
  });
  return new Map(entities);
}

/** UID or GUID in lower case. */
function nameOf(profile: Import['profiles'][number]): string {
  return foldId('guid' in profile ? profile.guid : profile.uid);
}

/** The end of each user or group of a call. Nothing is known of one that the reply does not name. */
function eachOf({ profiles }: Import, imported: MemberEntries, uncertainty: string | null) {
  return profiles.map((profile) => {
    const name = nameOf(profile);
    const { success, error: { code = '', message = '' } = {} } = imported.get(name) ?? {};
    if (success === true) return { name, outcome: 'created' as const, code: '', message: '' };
    if (isIdTaken(code)) return { name, ...taken(code, message, uncertainty) };
    return { name, outcome: success === false ? ('refused' as const) : ('unconfirmed' as const), code, message };
  });
}

/** It exists. If an earlier call got no answer, that call probably created it. */
function taken(code: string, message: string, uncertainty: string | null) {
  return uncertainty === null
    ? { outcome: 'existing' as const, code, message }
    : { outcome: 'created' as const, code, message: `${maybeEarlier(uncertainty)} (${message})` };
}

/** The creation that a batch makes. */
export function createOf(batch: BatchToSend, creation: CreationToSend): CreateMissingPayload['create'] {
  return creation.what === 'group' ? { ...creation, lists: listsOf(batch) } : creation;
}
