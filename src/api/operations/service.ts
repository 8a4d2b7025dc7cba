import { newReceiver, notificationsView, notificationTried, receiverSet } from '../../features/notify/api.ts';
import { nothing, operationsOf } from '../operation.ts';
import { overview } from '../overview.ts';
import { regionsAnswer } from '../regions.ts';
import { auditPage, auditQuery, loginAnswer, loginBody, session, settingsAnswer } from '../service.ts';

const operation = operationsOf('service');

/** How the server was started, what its regions do, what needs a person, and who did what. */
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

/** Who is notified of imports and syncs: set and tried by admins. */
export const notificationOperations = {
  view: operation('GET /v1/notifications', 'admin', {
    summary: 'Who is notified',
    answer: notificationsView,
  }),
  set: operation('PUT /v1/notifications', 'admin', {
    summary: 'Set who is notified, in place of another',
    description:
      'It is kept in the data directory and counts at once. The same addresses are allowed as with `--notify`: private ones only where the server was started with `--notify-private`.',
    body: newReceiver,
    answer: receiverSet,
    refusals: ['NOTIFY_FIXED'],
  }),
  clear: operation('DELETE /v1/notifications', 'admin', {
    summary: 'Notify no one',
    description: 'What is not delivered yet is dropped.',
    answer: nothing('No one is notified.'),
    refusals: ['NOTIFY_FIXED'],
  }),
  test: operation('POST /v1/notifications/test', 'admin', {
    summary: 'Send a test notification, and say whether it arrived',
    answer: notificationTried,
    refusals: ['NO_RECEIVER'],
  }),
};

const access = operationsOf('access');

/** Logging in with a token, for browsers. */
export const sessionOperations = {
  login: access('POST /v1/session', 'public', {
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
    summary: 'Log out',
    answer: nothing('Logged out.'),
  }),
};
