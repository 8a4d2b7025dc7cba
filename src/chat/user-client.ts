import { z } from 'zod';
import { isError } from '../errors/rollcall-error.ts';
import { foldId } from '../membership/membership.ts';
import { type ActingOptions, type Ask, type CallOptions, segment } from './call.ts';
import { malformedReply } from './call-errors.ts';

export interface Receiver {
  readonly receiverType: 'user' | 'group';
  /** UID or GUID. */
  readonly receiver: string;
}

const tokenReply = z.object({ data: z.object({ authToken: z.string().min(1) }) });
const messageReply = z.object({
  data: z.object({ id: z.union([z.string(), z.number()]).transform(String).nullable().default(null).catch(null) }),
});

/** Calls for one user. Their replies are publicly known, not contract (docs/chat-service.md, 53). */
export function createUserClient(ask: Ask) {
  return {
    /** `POST /users/{uid}/auth_tokens`: a token to log in as a user (docs/chat-service.md, 53). @param use on which device */
    async createAuthToken(
      uid: string,
      use: { readonly platform?: string | undefined; readonly userAgent?: string | undefined },
      options?: CallOptions,
    ) {
      const path = `/users/${segment('uid', uid)}/auth_tokens`;
      const { data, ...meta } = await ask('POST', path, tokenReply, { ...options, body: use }).catch(
        (error: unknown) => {
          // Its text quotes the reply, which may hold the token.
          if (!isError(error, 'MALFORMED_REPLY')) throw error;
          throw malformedReply(
            'the reply to a new auth token cannot be read; the token may exist',
            error.facts.httpStatus,
          );
        },
      );
      return { authToken: data.authToken, ...meta };
    },
    /** `POST /messages` with a text. The id is null where the reply does not say it. */
    async sendText({ receiverType, receiver }: Receiver, text: string, options?: ActingOptions) {
      const body = { receiver: foldId(receiver), receiverType, type: 'text', data: { text } };
      const { data, ...meta } = await ask('POST', '/messages', messageReply, { ...options, body });
      return { id: data.id, ...meta };
    },
  };
}
