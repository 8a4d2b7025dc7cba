import { isError, RollcallError } from '../errors/rollcall-error.ts';
import { foldId } from '../membership/membership.ts';
import { type ActingOptions, type Ask, type ReplyMeta, segment } from './call.ts';
import { malformedReply } from './call-errors.ts';
import { readMember } from './member-entries.ts';
import type { Redact } from './redact.ts';
import { actionMessage, type EditReply, editReply } from './replies.ts';
import type { MemberScope } from './service/lists.ts';

/** Addresses of the banned users of a group: both are publicly documented (docs/chat-service.md, 46). */
export const BANNED_LISTS = ['bannedusers', 'banned_members'] as const;
type BannedList = (typeof BANNED_LISTS)[number];

/** Calls the address of the banned users of a group. */
export type BannedAddress = <Reply>(guid: string, use: (path: string) => Promise<Reply>) => Promise<Reply>;

/** @param bannedList absent: the first address, or the other one where the service does not know that */
export function bannedAddress(bannedList?: BannedList): BannedAddress {
  let list: BannedList = bannedList ?? 'bannedusers';
  return async (guid, use) => {
    const asked = list;
    try {
      return await use(inGroup(guid, asked));
    } catch (error) {
      if (bannedList !== undefined || !isUnknownAddress(error)) throw error;
      const other = asked === 'bannedusers' ? 'banned_members' : 'bannedusers';
      const reply = await use(inGroup(guid, other)).catch((again: unknown) => {
        throw isUnknownAddress(again) ? error : again;
      });
      list = other;
      return reply;
    }
  };
}

function inGroup(guid: string, place: 'members' | BannedList) {
  return `/groups/${segment('guid', guid)}/${place}`;
}

/** Calls that edit members of a group: publicly known, not contract. error-policy.ts says what their errors mean. */
export function createMemberClient(ask: Ask, redact: Redact, ofBanned: BannedAddress) {
  async function edit(
    method: 'PUT' | 'DELETE',
    place: string,
    { guid, uid, scope }: Edit,
    options?: ActingOptions,
  ): Promise<ReplyMeta> {
    const body = scope && { scope };
    const { data, ...meta } = await ask(method, `${place}/${segment('uid', uid)}`, editReply, { ...options, body });
    requireDone(data, { guid, uid, scope }, meta, redact);
    return meta;
  }

  return {
    async changeScope(guid: string, uid: string, scope: MemberScope, options?: ActingOptions) {
      return edit('PUT', inGroup(guid, 'members'), { guid, uid, scope }, options);
    },
    /** `DELETE /groups/{guid}/members/{uid}`; a removed user may join again. */
    async removeMember(guid: string, uid: string, options?: ActingOptions) {
      return edit('DELETE', inGroup(guid, 'members'), { guid, uid }, options);
    },
    unbanMember: (guid: string, uid: string, options?: ActingOptions) =>
      ofBanned(guid, (path) => edit('DELETE', path, { guid, uid }, options)),
  };
}

/** Whether the service has no such operation; a group or user that is not there is another answer. */
function isUnknownAddress(error: unknown) {
  if (!isError(error, 'REFUSED') || error.facts.httpStatus !== 404) return false;
  const { serviceCode } = error.facts;
  return serviceCode === null || serviceCode === 'ERR_API_NOT_FOUND';
}

interface Edit {
  readonly guid: string;
  readonly uid: string;
  /** The new scope, where that is what changes. */
  readonly scope?: MemberScope | undefined;
}

/** A status of 200 is not enough: `success`, the member's new scope, or an action message must say that it was done. */
function requireDone(data: EditReply['data'], edit: Edit, { httpStatus, rate }: ReplyMeta, redact: Redact) {
  const { scope } = edit;
  if (data.success === true || isActionOn(data, edit)) return;
  if (data.success === false || data.error !== undefined) {
    const { error } = readMember(data, redact);
    throw new RollcallError('REFUSED', {
      httpStatus,
      serviceCode: error?.code ?? null,
      serviceMessage: error?.message ?? '',
      rate,
      // Without a plain no, it may have been carried out.
      doubtful: data.success !== false,
    });
  }
  const scopeNow = data['scope'];
  if (scope !== undefined && typeof scopeNow === 'string' && scopeNow.toLowerCase() === scope) return;
  const lacks = scope === undefined ? 'that it succeeded' : `that it succeeded, nor that the scope is ${scope} now`;
  throw malformedReply(
    `HTTP ${httpStatus} came with a reply that does not say ${lacks}; the call may have been carried out`,
    httpStatus,
  );
}

/** Whether a reply is an action message about this user and this group (docs/chat-service.md, 49). */
function isActionOn(data: EditReply['data'], { guid, uid }: Edit) {
  const { success, data: read } = actionMessage.safeParse(data);
  if (!success || read.category !== 'action') return false;
  const { on, for: group } = read.data.entities;
  const isSame = (found: string, id: string) => foldId(found) === foldId(id);
  return isSame(on.entity.uid, uid) && isSame(group.entity.guid, guid);
}
