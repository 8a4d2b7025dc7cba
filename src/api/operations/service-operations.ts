import { nothing, operationsOf } from '../operation.ts';
import { overview } from '../overview.ts';
import { regionsAnswer } from '../region-status.ts';
import { auditPage, auditQuery, loginAnswer, loginBody, session, settingsAnswer } from '../service.ts';

const operation = operationsOf('service');

/** Operations of the service: the server's settings, its regions, open issues, and the audit log. */
export const serviceOperations = {
  settings: operation('GET /v1/settings', 'viewer', {
    summary: 'How the server was started; no key, no password',
    answer: settingsAnswer,
  }),
  regions: operation('GET /v1/regions', 'viewer', {
    summary: 'What the regions do that imports have used so far',
    answer: regionsAnswer,
  }),
  audit: operation('GET /v1/audit', 'operator', {
    summary: 'Who did what, newest first',
    query: auditQuery,
    answer: auditPage,
    refusals: ['BAD_CURSOR'],
  }),
  overview: operation('GET /v1/overview', 'viewer', {
    summary: 'What runs, what waits for a person, the last night of each schedule, what keeps failing',
    answer: overview,
  }),
};

const access = operationsOf('access');

/** Logging in with a token, for browsers. */
export const sessionOperations = {
  login: access('POST /v1/session', 'public', {
    audit: 'session.create',
    summary: 'Log in with a token',
    body: loginBody,
    answer: loginAnswer,
    refusals: ['TOKEN_REFUSED', 'CROSS_ORIGIN', 'TOO_MANY'],
  }),
  session: access('GET /v1/session', 'public', {
    summary: 'Who you are',
    answer: session,
    refusals: ['TOKEN_REQUIRED'],
  }),
  logout: access('DELETE /v1/session', 'public', {
    audit: 'session.end',
    summary: 'Log out',
    answer: nothing('Logged out.'),
  }),
};
