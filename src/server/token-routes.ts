import { z } from 'zod';
import { nothing, operationsOf } from '../api/operation.ts';
import { ROLES } from '../api/service.ts';
import { newToken, tokensAnswer } from '../api/tokens.ts';
import { duration } from '../platform/allowed-values.ts';
import { isValid, type TokenRecord, tokenView } from './access/access-store.ts';
import type { Api, ServerContext } from './context.ts';
import { Problem } from './problem.ts';
import { serve } from './serve.ts';

const operation = operationsOf('access');

/** Characters of a token's name, at most. */
const MAX_NAME_LENGTH = 100;

const newTokenBody = z.strictObject({
  name: z
    .string()
    .trim()
    .max(MAX_NAME_LENGTH)
    .optional()
    .meta({ description: 'The person or program it is for, in the audit log. Default: its id.' }),
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

const tokenOperations = {
  list: operation('GET /v1/tokens', 'admin', {
    summary: 'List tokens, without their secrets',
    answer: tokensAnswer,
  }),
  create: operation('POST /v1/tokens', 'admin', {
    audit: 'token.create',
    summary: 'Make a token',
    description: 'The answer is the only one that has the token itself.',
    body: newTokenBody,
    status: 201,
    answer: newToken,
  }),
  revoke: operation('DELETE /v1/tokens/:id', 'admin', {
    audit: 'token.revoke',
    summary: 'Revoke a token, and end its sessions',
    description: 'The last admin cannot revoke the own token: no one could make another over the API.',
    params: z.strictObject({ id: z.string().max(60) }),
    answer: nothing('Revoked. Requests with it are refused from now on.'),
    refusals: ['UNKNOWN_TOKEN', 'LAST_ADMIN'],
  }),
};

/** Tokens: made, listed and revoked by admins. `rollcall token` does the same on the server's machine. */
export function tokenRoutes(app: Api, { access }: ServerContext, tokenRequired: boolean): void {
  serve(app, tokenOperations.list, async ({ who }) => ({
    tokens: access
      .tokens()
      .filter(({ revokedAt }) => revokedAt === null)
      .map((token) => ({ ...tokenView(token), own: token.id === who.id })),
  }));

  serve(app, tokenOperations.create, async (request, reply, audited) => {
    const { name = '', role, expires } = request.body;
    const expiresAt = expires === undefined ? null : Date.now() + expires;
    const { id, text } = access.createToken({ role, name, expiresAt });
    const made = found(id);
    audited(detailOf(made), id);
    reply.header('cache-control', 'no-store');
    return { ...tokenView(made), own: false, token: text };
  });

  serve(app, tokenOperations.revoke, async (request, _reply, audited) => {
    const token = found(request.params.id);
    if (tokenRequired && isLastAdmin(token)) {
      throw new Problem('LAST_ADMIN', `"${token.name}" is the only admin whose token is valid.`);
    }
    access.revoke(token.id);
    audited(detailOf(token));
  });

  function found(id: string): TokenRecord {
    const token = access.tokens().find((one) => one.id === id && one.revokedAt === null);
    if (token === undefined) throw new Problem('UNKNOWN_TOKEN', `No token has the id ${JSON.stringify(id)}.`);
    return token;
  }

  function isLastAdmin({ id }: TokenRecord): boolean {
    const admins = access.tokens().filter((token) => token.role === 'admin' && isValid(token));
    return admins.length === 1 && admins[0]?.id === id;
  }
}

function detailOf({ role, name }: TokenRecord): string {
  return `${role} ${name}`;
}
