import { z } from 'zod';
import { nothing, operationsOf } from '../operation.ts';
import { overview } from '../overview.ts';
import { regionsAnswer } from '../region-status.ts';
import { auditPage, auditQuery, loginAnswer, loginBody, session, settingsAnswer } from '../service.ts';
import { newToken, newTokenBody, tokensAnswer } from '../tokens.ts';

const operation = operationsOf('service');

/** Operations of the service: the server's settings, its regions, open issues, and the audit log. */
export const serviceOperations = {
  settings: operation('GET /v1/settings', 'viewer', {
    summary: 'Settings with which the server was started; no key, no password',
    answer: settingsAnswer,
  }),
  regions: operation('GET /v1/regions', 'viewer', {
    summary: 'State of the regions that imports have used so far',
    answer: regionsAnswer,
  }),
  audit: operation('GET /v1/audit', 'operator', {
    summary: 'Entries of the audit log, newest first',
    query: auditQuery,
    answer: auditPage,
    refusals: ['BAD_CURSOR'],
  }),
  overview: operation('GET /v1/overview', 'viewer', {
    summary: 'Overview: running imports, decisions that wait for a person, the last run of each schedule',
    answer: overview,
  }),
};

const access = operationsOf('access');

/** Logging in with a token, for browsers. */
export const sessionOperations = {
  login: access('POST /v1/session', 'public', {
    operationId: 'logIn',
    audit: 'session.create',
    summary: 'Log in with a token',
    body: loginBody,
    answer: loginAnswer,
    refusals: ['TOKEN_REFUSED', 'CROSS_ORIGIN', 'TOO_MANY'],
  }),
  session: access('GET /v1/session', 'public', {
    summary: 'Your name and role',
    answer: session,
    refusals: ['TOKEN_REQUIRED'],
  }),
  logout: access('DELETE /v1/session', 'public', {
    audit: 'session.end',
    summary: 'Log out',
    answer: nothing('Logged out.'),
  }),
};

/** Tokens: made, listed and revoked by admins. */
export const tokenOperations = {
  list: access('GET /v1/tokens', 'admin', {
    summary: 'List tokens, without their secrets',
    answer: tokensAnswer,
  }),
  create: access('POST /v1/tokens', 'admin', {
    audit: 'token.create',
    summary: 'Make a token',
    description: 'The answer is the only one that has the token itself.',
    body: newTokenBody,
    status: 201,
    answer: newToken,
  }),
  revoke: access('DELETE /v1/tokens/:id', 'admin', {
    audit: 'token.revoke',
    summary: 'Revoke a token, and end its sessions',
    description: 'The last admin cannot revoke the own token: no one could make another over the API.',
    params: z.strictObject({ id: z.string().max(60) }),
    answer: nothing('Revoked. Requests with it are refused from now on.'),
    refusals: ['UNKNOWN_TOKEN', 'LAST_ADMIN'],
  }),
};
