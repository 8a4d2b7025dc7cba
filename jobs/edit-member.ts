import { z } from 'zod';
import type { ReplyMeta } from '../src/chat/call.ts';
import { judgeEdit } from '../src/chat/error-policy.ts';
import { MEMBER_SCOPES } from '../src/chat/service/lists.ts';
import type { Sent } from '../src/imports/record/batch-result.ts';
import type { BatchToSend } from '../src/imports/record/import-ledger.ts';
import { BATCH_FIELDS } from './batch-payload.ts';
import { maybeEarlier } from './batch-policy.ts';
import { FOUND_IN_GROUP, LOOKED_FIELDS, type Looked, lookFirst, type Wanted } from './repeats.ts';
import { batchJob } from './send-batch.ts';

/**
 * edit-member: changes the scope of one member of a group, removes the member, or lifts a ban (send-batch.ts). The
 * message says if it was so already. A repeat sends only what the group does not say already (repeats.ts), and is
 * harmless: a member that the earlier call changed or removed is as requested.
 */
const payload = z.object({
  version: z.literal(1),
  ...BATCH_FIELDS,
  ...LOOKED_FIELDS,
  row: z.int(),
  uid: z.string(),
  edit: z.discriminatedUnion('action', [
    z.object({ action: z.literal('change'), scope: z.enum(MEMBER_SCOPES) }),
    z.object({ action: z.literal('remove') }),
    z.object({ action: z.literal('unban') }),
  ]),
});
export type EditMemberPayload = z.infer<typeof payload>;

/** By action: the outcome of a success, and what to say when it was so before. */
const DONE = {
  change: { outcome: 'changed', before: 'it had this scope before' },
  remove: { outcome: 'removed', before: 'it was no member' },
  unban: { outcome: 'unbanned', before: 'it was not banned' },
} as const;

export const editMember = batchJob<EditMemberPayload, ReplyMeta>({
  name: 'edit-member',
  payload,
  settle: async (job, ports) => {
    const { payload: batch } = job;
    const looked = await lookFirst(job, ports, wantedBy);
    const isSo = looked && isAsAsked(batch, looked);
    return batch.standing?.ended === undefined && isSo !== true ? undefined : settled(batch, isSo);
  },
  operation: ({ edit }) => edit.action,
  send: (chat, { guid, uid, edit }, options) => {
    if (edit.action === 'change') return chat.changeScope(guid, uid, edit.scope, options);
    return edit.action === 'remove' ? chat.removeMember(guid, uid, options) : chat.unbanMember(guid, uid, options);
  },
  judge: ({ edit, onBehalfOf }, error) =>
    judgeEdit(edit.action === 'change' ? 'change-scope' : edit.action, error, onBehalfOf),
  readAnswer: (batch) => done(batch, '', ''),
  readRefusal: (batch, { kind, code, message }) => {
    if (kind === 'group') return { kind, code, message };
    if (kind !== 'in-place') return { kind: 'refused', outcome: 'failed', code, message };
    const { before } = DONE[batch.edit.action];
    const note = batch.uncertainty === null ? '' : `; ${maybeEarlier(batch.uncertainty)}`;
    return done(batch, code, `${before} (${message})${note}`);
  },
  rows: ({ row, edit }) => [[row, DONE[edit.action].outcome]],
});

/** The membership or ban that tells what became of the edit. */
function wantedBy({ row, uid, edit }: EditMemberPayload): readonly Wanted[] {
  if (edit.action === 'change') return [{ row, uid, ban: false, scope: edit.scope }];
  return [{ row, uid, ban: edit.action === 'unban' }];
}

/** Whether the group says that the member or ban is as asked; undefined where it does not say. */
function isAsAsked({ row, edit: { action } }: EditMemberPayload, { found, whole }: Looked): boolean | undefined {
  const isThere = found.includes(row);
  if (!isThere && !whole.includes(action === 'unban' ? 'banned' : 'members')) return undefined;
  return isThere === (action === 'change');
}

/** The outcome of an edit of which nothing more is sent. @param isSo by what its group says */
function settled(batch: EditMemberPayload, isSo: boolean | undefined): Sent {
  const { edit, standing, uncertainty } = batch;
  if (isSo === true) {
    return done(batch, FOUND_IN_GROUP, `its group says that it is so; ${maybeEarlier(uncertainty)}`);
  }
  const { code, message } = standing?.ended ?? { code: '', message: '' };
  if (isSo === undefined) return { kind: 'unanswered', maybeCarriedOut: true, code, message };
  return { kind: 'refused', outcome: 'failed', code, message: `${message}; ${NOT_SO[edit.action]}` };
}

const NOT_SO = {
  change: "afterwards this user did not have the scope in the group's list of members",
  remove: "afterwards this user was in the group's list of members",
  unban: "afterwards this user was in the group's list of banned users",
} as const;

function done({ row, edit }: EditMemberPayload, code: string, message: string): Sent {
  return { kind: 'answered', others: [{ row, outcome: DONE[edit.action].outcome, code, message }], missing: [] };
}

/** The change that a batch of one row makes. */
export function editOf({ id, action, rows }: BatchToSend): Pick<EditMemberPayload, 'row' | 'uid' | 'edit'> {
  const [asked, ...others] = rows;
  if (asked === undefined || others.length > 0)
    throw new Error(`batch ${id} has to ${action} ${rows.length} members; one call has one`);
  const { row, uid, scope } = asked;
  if (action === 'remove' || action === 'unban') return { row, uid, edit: { action } };
  if (scope === 'ban') throw new Error(`batch ${id} has to change a scope to a ban, which is not a scope of a member`);
  return { row, uid, edit: { action: 'change', scope } };
}
