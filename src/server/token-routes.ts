import { tokenOperations } from '../api/service.ts';
import { RollcallError } from '../errors/rollcall-error.ts';
import { isValid, type TokenRecord, tokenView } from './access/access-store.ts';
import type { Api, ServerContext } from './context.ts';
import { serveAll } from './serve.ts';

/** Tokens: made, listed and revoked by admins. `rollcall token` does the same on the server's machine. */
export function tokenRoutes(app: Api, { access }: ServerContext, tokenRequired: boolean): void {
  serveAll(app, tokenOperations, {
    list: async (_, { request: { who } }) => ({
      tokens: access
        .tokens()
        .filter(({ revokedAt }) => revokedAt === null)
        .map((token) => ({ ...tokenView(token), own: token.id === who.id })),
    }),
    create: async ({ name = '', role, expires }, { reply, audited }) => {
      const expiresAt = expires === undefined ? null : Date.now() + expires;
      const { id, text } = access.createToken({ role, name, expiresAt });
      const made = found(id);
      audited(detailOf(made), id);
      reply.header('cache-control', 'no-store');
      return { ...tokenView(made), own: false, token: text };
    },
    revoke: async ({ id }, { audited }) => {
      const token = found(id);
      if (tokenRequired && isLastAdmin(token)) throw new RollcallError('LAST_ADMIN', { name: token.name });
      access.revoke(token.id);
      audited(detailOf(token));
    },
  });

  function found(id: string): TokenRecord {
    const token = access.tokens().find((one) => one.id === id && one.revokedAt === null);
    if (token === undefined) throw new RollcallError('UNKNOWN_TOKEN', { id });
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
