import type { FastifyReply, FastifyRequest } from 'fastify';
import { reaches } from '../../api/operation.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { isLoopback } from '../../platform/hosts.ts';
import type { Api } from '../context.ts';
import { type AccessStore, LOCAL, UNKNOWN_SENDER, type Who } from './access-store.ts';

export const SESSION_COOKIE = 'rollcall_session';

/** Methods that change something. */
export const UNSAFE: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

const REFUSAL_MS = 60_000;

export type WhoIs = ReturnType<typeof guard>;

/** Puts the checks of every request before all routes: host, origin, token, role. @returns who sends a request; undefined: nobody who may */
export function guard(app: Api, access: AccessStore, tokenRequired: boolean) {
  /** Returns the sender, by token or session; on a server that needs no token, everyone. */
  const whoIs = (request: FastifyRequest) => {
    if (request.headers.authorization !== undefined) return access.byToken(tokenOf(request));
    const cookie = request.cookies[SESSION_COOKIE];
    const who = cookie === undefined ? undefined : access.bySession(cookie);
    return who ?? (tokenRequired ? undefined : LOCAL);
  };
  app.decorateRequest('who');
  app.decorate('access', access);
  /** Time of the last noted refusal, by token and route: once a minute is enough. */
  const refusals = new Map<string, number>();
  const noteRefusal = (who: Who, { method, routeOptions, ip }: FastifyRequest) => {
    const what = `${method} ${routeOptions.url}`;
    const key = `${who.id} ${what}`;
    if (Date.now() - (refusals.get(key) ?? 0) < REFUSAL_MS) return;
    refusals.set(key, Date.now());
    access.note({
      who: who.name,
      role: who.role,
      action: 'role.refuse',
      target: who.id,
      detail: what,
      address: ip,
    });
  };
  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    checkOneHost(request);
    if (!tokenRequired) checkHost(request);
    if (UNSAFE.has(request.method)) checkOrigin(request);
    const { role = 'operator' } = request.routeOptions.config;
    request.who = tokenRequired ? UNKNOWN_SENDER : LOCAL;
    if (role === 'public' || request.is404) return;
    const who = whoIs(request);
    if (who === undefined) throw unauthorised(request, reply, access.hasExpired(tokenOf(request)));
    if (!reaches(who.role, role)) {
      noteRefusal(who, request);
      throw new RollcallError('ROLE_TOO_LOW', { name: who.name, role: who.role, needed: role });
    }
    request.who = who;
  });
  return whoIs;
}

/** The token in the headers; empty where there is none. */
function tokenOf({ headers: { authorization = '' } }: FastifyRequest) {
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '';
}

function unauthorised(request: FastifyRequest, reply: FastifyReply, hasExpired: boolean) {
  reply.header('www-authenticate', 'Bearer realm="rollcall"');
  const given = request.headers.authorization !== undefined || request.cookies[SESSION_COOKIE] !== undefined;
  return new RollcallError(hasExpired ? 'TOKEN_EXPIRED' : given ? 'TOKEN_REFUSED' : 'TOKEN_REQUIRED', {});
}

/** A proxy may have gone by another one than this server would. */
function checkOneHost({ raw: { rawHeaders } }: FastifyRequest) {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts > 1) throw new RollcallError('TWO_HOSTS', { hosts });
}

/**
 * Another website may point its own name at this server's address (DNS rebinding) and would then count as the same
 * origin. If no login is needed, only requests to the machine's own names are answered.
 */
function checkHost({ headers: { host = '' } }: FastifyRequest) {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  if (!isLoopback(name)) throw new RollcallError('WRONG_HOST', { host });
}

/** Browsers say where an unsafe request comes from. A request that does not is from a program, not from a page. */
function checkOrigin({ headers }: FastifyRequest) {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new RollcallError('CROSS_ORIGIN', { site: String(site) });
  }
  const { origin, host } = headers;
  if (origin !== undefined && hostOf(origin) !== host?.toLowerCase()) {
    throw new RollcallError('CROSS_ORIGIN', { origin, host });
  }
}

function hostOf(origin: string) {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
