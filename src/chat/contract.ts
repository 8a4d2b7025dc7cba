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
export const writtenResult = z.looseObject({
  success: z.boolean().optional().catch(undefined),
  error: writtenError.optional().catch(undefined),
});
/** Results by UID or by the key of a call, each of which may be anything; none may come as an empty array. */
export const resultsByKey = z.custom<Readonly<Record<string, unknown>>>(
  (list) => typeof list === 'object' && list !== null && (!Array.isArray(list) || list.length === 0),
  { error: 'expected an object with the keys of the call' },
);
const resultList = resultsByKey.optional();

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
