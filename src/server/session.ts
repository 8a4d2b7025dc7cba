import limits from '@fastify/rate-limit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ROLES, type Who } from './access/access-store.ts';
import { type Guard, SESSION_COOKIE } from './access/guard.ts';
import type { Api, ServerContext } from './context.ts';
import { Problem } from './problem.ts';
import { refusals } from './problem-schema.ts';

/** A browser stays logged in for so long, in ms. */
const SESSION_MS = 12 * 60 * 60 * 1000;
/** Attempts to log in from one address, and the time for them in ms. */
const ATTEMPTS = 10;
const ATTEMPTS_MS = 5 * 60 * 1000;

const tags = ['access'];
const config = { role: 'public' } as const;
const role = z.enum(ROLES);

/** Logging in with a token, for browsers: the session is a cookie that no script can read. */
export async function sessionRoutes(
  app: Api,
  { access }: ServerContext,
  { whoIs }: Guard,
  tokenRequired: boolean,
): Promise<void> {
  await app.register(async (plain) => {
    const scope = plain as Api;
    await scope.register(limits, {
      max: ATTEMPTS,
      timeWindow: ATTEMPTS_MS,
      global: false,
      addHeaders: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false },
      errorResponseBuilder: (_request, { ttl }) =>
        new Problem(
          'TOO_MANY',
          `More than ${ATTEMPTS} attempts to log in; the next is possible in ${Math.ceil(ttl / 1000)} seconds.`,
        ),
    });
    scope.post(
      '/v1/session',
      {
        config: { ...config, rateLimit: { max: ATTEMPTS, timeWindow: ATTEMPTS_MS } },
        schema: {
          tags,
          summary: 'Log in with a token',
          body: z.strictObject({ token: z.string().max(200) }),
          response: {
            200: z.strictObject({ role, name: z.string(), expiresAt: z.iso.datetime() }),
            ...refusals('BAD_OPTION', 'BAD_BODY', 'TOKEN_REFUSED', 'CROSS_ORIGIN', 'TOO_MANY'),
          },
        },
      },
      async (request, reply) => {
        const who = access.byToken(request.body.token.trim());
        if (who === undefined) {
          throw new Problem('TOKEN_REFUSED', 'The token is unknown, expired or revoked.', { field: 'token' });
        }
        const expiresAt = Math.min(Date.now() + SESSION_MS, who.expiresAt ?? Number.POSITIVE_INFINITY);
        setCookie(request, reply, access.login(who, expiresAt), expiresAt);
        access.note({ who: who.name, role: who.role, action: 'session.create', target: who.id, detail: request.ip });
        return { role: who.role, name: who.name, expiresAt: new Date(expiresAt).toISOString() };
      },
    );
  });
  app.get(
    '/v1/session',
    {
      config,
      schema: {
        tags,
        summary: 'Who you are',
        response: {
          200: z.strictObject({ role, name: z.string(), tokenRequired: z.boolean() }),
          ...refusals('TOKEN_REQUIRED'),
        },
      },
    },
    async (request) => {
      const who: Who | undefined = whoIs(request);
      if (who === undefined) throw new Problem('TOKEN_REQUIRED', 'Nobody is logged in.');
      return { role: who.role, name: who.name, tokenRequired };
    },
  );
  app.delete(
    '/v1/session',
    { config, schema: { tags, summary: 'Log out', response: { 204: z.void().meta({ description: 'Logged out.' }) } } },
    async (request, reply) => {
      const cookie = request.cookies[SESSION_COOKIE];
      if (cookie !== undefined) access.logout(cookie);
      setCookie(request, reply, '', 0);
      return reply.code(204).send();
    },
  );
}

function setCookie(request: FastifyRequest, reply: FastifyReply, value: string, expiresAt: number): void {
  reply.setCookie(SESSION_COOKIE, value, {
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    // The server itself speaks plain HTTP; behind a proxy with TLS the browser says where it is.
    secure: request.headers.origin?.startsWith('https:') === true,
    expires: new Date(expiresAt),
  });
}
