import limits from '@fastify/rate-limit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sessionOperations, tokenOperations } from '../../api/service.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { asSentence, isoTime } from '../../text/wording.ts';
import type { Api, ServerContext } from '../context.ts';
import { serveAll } from '../serve.ts';
import { isValid, type TokenRecord, tokenIdIn, tokenView, UNKNOWN_SENDER } from './access-store.ts';
import { SESSION_COOKIE, type WhoIs } from './guard.ts';

/** A browser stays logged in for so long, in ms. */
const SESSION_MS = 12 * 60 * 60 * 1000;
/** Attempts to log in that may fail, from one address and with one token's id, and the time for them in ms. */
const ATTEMPTS = 10;
const ATTEMPTS_MS = 5 * 60 * 1000;

/** Logging in with a token, for browsers: the session is a cookie that no script can read. */
export async function sessionRoutes(app: Api, { access }: ServerContext, whoIs: WhoIs, tokenRequired: boolean) {
  await app.register(limits, { global: false });
  const window = { max: ATTEMPTS, timeWindow: ATTEMPTS_MS };
  const byAddress = app.createRateLimit({ ...window, keyGenerator: ({ ip }) => ip });
  const byToken = app.createRateLimit({ ...window, keyGenerator: ({ body }) => claimedBy(body) });

  /**
   * Counts an attempt that failed, and refuses it. A token that is right is never refused, even if someone else guesses from the
   * same address: its secret cannot be guessed, and no one may be locked out by others.
   */
  const refuse = async (request: FastifyRequest, reply: FastifyReply, code: 'TOKEN_EXPIRED' | 'TOKEN_REFUSED') => {
    const claimed = claimedBy(request.body);
    const found = [await byAddress(request), ...(claimed === '' ? [] : [await byToken(request)])];
    const waits = found.map((limit) => (!limit.isAllowed && limit.isExceeded ? limit.ttlInSeconds : 0));
    const seconds = Math.max(...waits);
    if (seconds === 0) {
      const { name, role } = UNKNOWN_SENDER;
      const error = new RollcallError(code, { field: 'token' });
      const detail = asSentence(error.what);
      access.note({ who: name, role, action: 'session.refuse', target: claimed, detail, address: request.ip });
      return error;
    }
    reply.header('retry-after', seconds);
    return new RollcallError('TOO_MANY', { attempts: ATTEMPTS, seconds });
  };

  serveAll(app, sessionOperations, {
    login: async ({ token: given }, { request, reply, audited }) => {
      const token = given.trim();
      const who = access.byToken(token);
      if (who === undefined)
        throw await refuse(request, reply, access.hasExpired(token) ? 'TOKEN_EXPIRED' : 'TOKEN_REFUSED');
      request.who = who;
      const expiresAt = Math.min(Date.now() + SESSION_MS, who.expiresAt ?? Number.POSITIVE_INFINITY);
      setCookie(request, reply, access.login(who, expiresAt), expiresAt);
      audited('', who.id);
      return { role: who.role, name: who.name, expiresAt: isoTime(expiresAt) };
    },
    session: async (_, { request }) => {
      const who = whoIs(request);
      if (who === undefined) throw new RollcallError('TOKEN_REQUIRED', {});
      return { role: who.role, name: who.name, tokenRequired };
    },
    logout: async (_, { request, reply, audited }) => {
      const cookie = request.cookies[SESSION_COOKIE];
      const who = cookie === undefined ? undefined : access.bySession(cookie);
      if (cookie !== undefined) access.logout(cookie);
      if (who !== undefined) {
        request.who = who;
        audited('', who.id);
      }
      setCookie(request, reply, '', 0);
    },
  });
}

/** Returns the id, which is not secret, of the token in an attempt to log in; empty when it is not a token. */
function claimedBy(body: unknown) {
  const { token } = (body ?? {}) as { token?: unknown };
  return typeof token === 'string' ? tokenIdIn(token.trim()) : '';
}

function setCookie(request: FastifyRequest, reply: FastifyReply, value: string, expiresAt: number) {
  reply.setCookie(SESSION_COOKIE, value, {
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    // The server itself speaks plain HTTP; a proxy with TLS that is trusted says so, or the browser says where it is.
    secure: request.protocol === 'https' || request.headers.origin?.startsWith('https:') === true,
    expires: new Date(expiresAt),
  });
}

/** Tokens: made, listed and revoked by admins. `rollcall token` does the same on the server's machine. */
export function tokenRoutes(app: Api, { access }: ServerContext, tokenRequired: boolean) {
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

  function found(id: string) {
    const token = access.tokens().find((one) => one.id === id && one.revokedAt === null);
    if (token === undefined) throw new RollcallError('UNKNOWN_TOKEN', { id });
    return token;
  }

  function isLastAdmin({ id }: TokenRecord) {
    const admins = access.tokens().filter((token) => token.role === 'admin' && isValid(token));
    return admins.length === 1 && admins[0]?.id === id;
  }
}

function detailOf({ role, name }: TokenRecord) {
  return `${role} ${name}`;
}
