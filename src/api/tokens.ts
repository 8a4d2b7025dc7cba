import { z } from 'zod';
import { duration } from '../platform/allowed-values.ts';
import { time } from './fields.ts';
import { ROLES } from './service.ts';

/** `GET /v1/tokens`: who may use the server. */
const tokenView = z.strictObject({
  id: z.string().meta({ description: 'The part of the token after `rct_`, which is not secret.' }),
  name: z.string().meta({ description: 'The person or program it is for, in the audit log.' }),
  role: z.enum(ROLES),
  createdAt: time,
  expiresAt: time.nullable().meta({ description: 'From then on it is refused as TOKEN_EXPIRED; null: never.' }),
  lastUsedAt: time.nullable().meta({ description: 'To the minute; null: it was not used yet.' }),
  own: z.boolean().meta({ description: 'The request was sent with it.' }),
});
export type TokenView = z.infer<typeof tokenView>;

export const tokensAnswer = z.strictObject({
  tokens: z.array(tokenView).meta({ description: 'Oldest first, also those that have expired.' }),
});

/** `POST /v1/tokens` */
export const newToken = tokenView.extend({
  token: z.string().meta({ description: 'The token itself. Only its hash is stored: no other answer has it.' }),
});
export type NewToken = z.infer<typeof newToken>;

/** Characters of a token's name, at most. */
const MAX_NAME_LENGTH = 100;

export const newTokenBody = z.strictObject({
  name: z
    .string()
    .trim()
    .max(MAX_NAME_LENGTH)
    .optional()
    .meta({
      description: 'The person or program it is for, in the audit log. Default: its id.',
      examples: ['nightly'],
    }),
  role: z.enum(ROLES),
  expires: z
    .string()
    .transform((text, context): number => {
      const ms = duration.parse(text, 'expires');
      if (ms !== undefined) return ms;
      context.addIssue({ code: 'custom', message: `allowed is ${duration.allowed}` });
      return z.NEVER;
    })
    .optional()
    .meta({ description: 'Time for which it is valid, such as `90d`. Default: until it is revoked.' }),
});
