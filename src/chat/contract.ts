import { z } from 'zod';
import type { MemberList } from './service/lists.ts';

/**
 * The chat service's contract: what goes over the wire, as far as docs/chat-service.md describes it.
 * Client and sandbox share this file and nothing else, so that the two cannot agree on a mistake.
 * Replies are read tolerantly: unknown fields pass, because the service may add some without a new version (docs/chat-service.md, 6).
 */

/** Version prefix of every path (docs/chat-service.md, 6). */
export const API_VERSION = 'v3';

/** Header names (docs/chat-service.md, 8 to 11). `apikey` for app operations, `key` and `secret` for management operations. */
export const HEADERS = {
  apiKey: 'apikey',
  appId: 'appId',
  onBehalfOf: 'onBehalfOf',
  managementKey: 'key',
  managementSecret: 'secret',
} as const;

/** Scopes of an API key (docs/chat-service.md, 9). Adding members needs `fullAccess`. */
export const KEY_SCOPES = ['fullAccess', 'authOnly'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** Body of POST /groups/{guid}/members (docs/chat-service.md, 15): every list that is present has at least one UID. */
const uids = z.array(z.string()).min(1);
export const addMembersRequest = z
  .strictObject({ admins: uids, moderators: uids, participants: uids, usersToBan: uids })
  .partial();
export type AddMembersRequest = Readonly<Partial<Record<MemberList, readonly string[]>>>;

/**
 * An error as it is in an error body, and in the entry of a refused UID (not contract; docs/chat-service.md, 30).
 * A field of another type than expected is left out: an odd `details` must not hide a clear `code`.
 */
export const serviceError = z.looseObject({
  code: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  devMessage: z.string().optional().catch(undefined),
  source: z.string().optional().catch(undefined),
  details: z.record(z.string(), z.unknown()).optional().catch(undefined),
});
export type ServiceError = z.infer<typeof serviceError>;

/** The shape of an error is not shown (docs/chat-service.md, 23 and 30), so that a bare text is read as the message. */
const writtenError = z.union([
  serviceError.transform(withDetails),
  z.string().transform((message): ServiceError => ({ message })),
]);

/** The message says which fields are wrong, and why, where the details do: `… name: Too big, tags: Too many`. */
function withDetails({ details = {}, ...error }: ServiceError): ServiceError {
  const fields = Object.entries(details).map(([field, why]) => `${field}: ${[why].flat().map(textOrEmpty).join('; ')}`);
  return fields.length === 0 ? error : { ...error, message: [error.message ?? '', fields.join(', ')].join(' ').trim() };
}

function textOrEmpty(value: unknown) {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Body of a refused request (not contract; docs/chat-service.md, 30). */
export const errorBody = z.looseObject({ error: writtenError });

/** One entry of the add-members result (docs/chat-service.md, 22). Only `success === true` is a success. */
export const memberResult = z.looseObject({
  success: z.boolean().optional().catch(undefined),
  error: writtenError.optional().catch(undefined),
});
/** Part of a successful entry that is kept: the rest of its action message is not read. */
export interface Addition {
  /** Id of the action message (docs/chat-service.md, 25). */
  readonly messageId?: string | undefined;
  /** The number of members of the group after the call. */
  readonly members?: number | undefined;
}
export type MemberResult = z.infer<typeof memberResult> & {
  readonly addition?: Addition;
  /** The whole entry as JSON, if it is no success. */
  readonly written?: string;
};

/** Names on the way from an entry to what the action message says of the group. */
export const WAY_TO_GROUP = ['data', 'data', 'entities', 'for', 'entity'] as const;

/** Fields of a successful entry's action message. Fields that break the contract are left out. */
function additionOf(entry: unknown): Addition {
  const messageId = readMessageId(field(field(entry, 'data'), 'id'));
  const members = readMemberCount(field(WAY_TO_GROUP.reduce(field, entry), 'membersCount'));
  return { ...(messageId !== undefined && { messageId }), ...(members !== undefined && { members }) };
}

function field(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}

const MESSAGE_ID = /^[\w-]{1,64}$/;
export function readMessageId(id: unknown) {
  return typeof id === 'string' && MESSAGE_ID.test(id) ? id : undefined;
}

export function readMemberCount(count: unknown) {
  return Number.isSafeInteger(count) && Number(count) >= 0 ? Number(count) : undefined;
}

/** Characters of an entry that are kept. */
const MAX_WRITTEN = 500;

/** An entry that is not an object says nothing. */
const otherResult = memberResult.catch({});

/**
 * The UIDs of one list; an empty list may come as an empty array or object, or not at all. An entry that is not an
 * object says nothing: it is not a success, and it does not affect its neighbours.
 */
const resultList = z
  .custom<object>((list) => typeof list === 'object' && list !== null && (!Array.isArray(list) || list.length === 0), {
    error: 'expected an object with UIDs as keys',
  })
  // By hand, because a record schema leaves out the key "__proto__", which is a possible UID.
  .transform(
    (list): Record<string, MemberResult> =>
      Object.fromEntries(Object.entries(list).map(([uid, entry]) => [uid, memberEntry(entry)])),
  )
  .optional();

/** An entry of a list, whatever it is. */
export function memberEntry(entry: unknown): MemberResult {
  if (isSuccess(entry)) return { success: true, addition: additionOf(entry) };
  return { ...otherResult.parse(entry), written: JSON.stringify(entry).slice(0, MAX_WRITTEN) };
}

function isSuccess(entry: unknown) {
  return typeof entry === 'object' && entry !== null && 'success' in entry && entry.success === true;
}

/** Reply of POST /groups/{guid}/members (docs/chat-service.md, 21). */
export const addMembersReply = z.looseObject({
  data: z.looseObject({
    admins: resultList,
    moderators: resultList,
    participants: resultList,
    usersToBan: resultList,
  }),
});
export type AddMembersReply = z.infer<typeof addMembersReply>;

/** Body of POST /messages as far as the contract gives it (docs/chat-service.md, 53). */
export const sendMessageRequest = z.looseObject({
  receiver: z.string(),
  receiverType: z.string(),
  type: z.string(),
  data: z.looseObject({ text: z.string().optional() }),
});

/** Reply of the operations whose response the contract does not show (docs/chat-service.md, 52 and 53): a JSON object, and nothing more is promised. */
export const openReply = z.looseObject({});
