import { z } from 'zod';
import { REGIONS } from '../membership/membership.ts';
import type { SyncState } from '../membership/sync-state.ts';
import { duration } from '../platform/allowed-values.ts';
import { count, HOST, nextCursor, pageOptions, time, timeOption } from './fields.ts';
import { type ImportView, operationOfImports } from './imports.ts';
import { fileOf, nothing, operationsOf, ROLES } from './operation.ts';
import type { RunningImport } from './overview.ts';
import { regionsAnswer } from './region-status.ts';

const role = z.enum(ROLES);

/** `GET /v1/settings`: how the server was started. Holds no key and no password. */
const settings = z.strictObject({
  version: z.string(),
  profile: z.string().nullable().describe('The profile that the settings are of.'),
  host: z.string().describe(HOST),
  sandbox: z.boolean(),
  queue: z.enum(['embedded', 'redis']),
  apps: z.partialRecord(z.enum(REGIONS), z.strictObject({ appId: z.string(), keySet: z.boolean() })),
  defaultRegion: z.enum(REGIONS),
  callsPerMinute: count,
  importsPerMinute: count.describe('Calls a minute of imports in silence.'),
  concurrency: count,
  keepDays: z.number().nullable().describe('Days after which finished imports are removed; null: never.'),
  maxUploadBytes: count,
  withWorkers: z.boolean(),
  sources: z
    .array(z.string())
    .describe('Folders and addresses that schedules made over the API may read (ROLLCALL_SOURCES); empty: none.'),
});
export type Settings = z.infer<typeof settings>;
const settingsAnswer = settings.extend({
  namedSources: z
    .record(z.string(), z.string())
    .describe('Addresses of the named sources in `sources`, by name, without secrets.'),
  notifyHost: z.string().nullable().describe('Host that is notified when imports finish; null: none.'),
  guardLimits: z
    .array(
      z.strictObject({ name: z.string(), default: z.number(), unit: z.enum(['percent', 'number']), why: z.string() }),
    )
    .describe('Limits of the guards of syncs that are used if no other is given.'),
});
export type SettingsAnswer = z.infer<typeof settingsAnswer>;

const session = z.strictObject({ role, name: z.string(), tokenRequired: z.boolean() });
export type Session = z.infer<typeof session>;

const auditQuery = z.strictObject({
  search: z
    .string()
    .trim()
    .max(200)
    .optional()
    .describe('A part of the name, the action, the target, the detail or the address, in any case.'),
  who: z.string().trim().max(200).optional().describe('The whole name, in any case.'),
  action: z
    .string()
    .trim()
    .max(60)
    .optional()
    .describe('An action such as `import.cancel`, or the part before the dot, such as `import`.'),
  from: timeOption('start').optional().describe('At this time (ISO 8601) or on this day, or later.'),
  to: timeOption('end').optional().describe('Before this time (ISO 8601), or on this day or earlier.'),
  ...pageOptions(100, 1_000),
});
export type AuditQuery = z.output<typeof auditQuery>;
const auditPage = z.strictObject({
  entries: z.array(
    z.strictObject({
      at: time,
      who: z.string().describe('Name of the token, or "local".'),
      role: z.string().describe('Empty if no one was identified.'),
      action: z.string(),
      target: z.string(),
      detail: z.string().describe('A summary of the request.'),
      address: z.string().describe('Address of the client, or "command line".'),
    }),
  ),
  nextCursor,
});
export type AuditPage = z.infer<typeof auditPage>;

/** `GET /v1/tokens`: who may use the server. */
const tokenView = z.strictObject({
  id: z.string().describe('The part of the token after `rct_`, which is not secret.'),
  name: z.string().describe('The person or program it is for, in the audit log.'),
  role,
  createdAt: time,
  expiresAt: time.nullable().describe('From then on it is refused as TOKEN_EXPIRED; null: never.'),
  lastUsedAt: time.nullable().describe('To the minute; null: it was not used yet.'),
  own: z.boolean().describe('The request was sent with it.'),
});
export type TokenView = z.infer<typeof tokenView>;

export const newToken = tokenView.extend({
  token: z.string().describe('The token itself. Only its hash is stored: no other answer has it.'),
});

/** Characters of a token's name, at most. */
const MAX_NAME_LENGTH = 100;

const newTokenBody = z.strictObject({
  name: z
    .string()
    .trim()
    .max(MAX_NAME_LENGTH)
    .optional()
    .meta({
      description: 'The person or program it is for, in the audit log. Default: its id.',
      examples: ['nightly'],
    }),
  role,
  expires: z
    .string()
    .transform((text, context) => {
      const ms = duration.parse(text, 'expires');
      if (ms !== undefined) return ms;
      context.addIssue({ code: 'custom', message: `allowed is ${duration.allowed}` });
      return z.NEVER;
    })
    .optional()
    .describe('Time for which it is valid, such as `90d`. Default: until it is revoked.'),
});

const operation = operationsOf('service');

/** Operations of the service: the server's settings, its regions, and the audit log. */
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
  }),
};

const access = operationsOf('access');

export const sessionOperations = {
  login: access('POST /v1/session', 'public', {
    operationId: 'logIn',
    audit: 'session.create',
    summary: 'Log in with a token',
    body: z.strictObject({
      token: z
        .string()
        .max(200)
        .meta({ examples: ['rct_…'] }),
    }),
    answer: z.strictObject({ role, name: z.string(), expiresAt: time }),
    refusals: ['TOKEN_REFUSED', 'TOO_MANY'],
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

export const tokenOperations = {
  list: access('GET /v1/tokens', 'admin', {
    summary: 'List tokens, without their secrets',
    answer: z.strictObject({
      tokens: z.array(tokenView).describe('Oldest first, also those that have expired.'),
    }),
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

/** Events of `GET /v1/events`, by name. */
export interface ListEvents {
  /** Those that changed; one that is sent, with the time that is left and the regions that hold it up. */
  readonly imports: { readonly imports: readonly (ImportView | RunningImport)[] };
  readonly removed: { readonly id: string };
  /** A sync is in another state. */
  readonly sync: { readonly id: string; readonly state: SyncState };
  /** Schedules have changed, or runs of this one. */
  readonly schedules: { readonly id?: string };
  /** An import is in another state. */
  readonly import: { readonly id: string };
  /** The check of the import has come further, is over, or has stopped. */
  readonly check: { readonly id: string };
  readonly export: { readonly id: string };
  /** The planning of a sync has come further. */
  readonly planning: { readonly id: string };
}

/** Tells those who follow them. */
export interface Telling {
  tell<Name extends keyof ListEvents>(name: Name, data: ListEvents[Name]): void;
  /** Tells soon that something has come further, once for all that it has by then. */
  progressed(name: 'check' | 'export' | 'planning'): (id: string) => void;
}

export const eventOperations = {
  lists: operationOfImports('GET /v1/events', 'viewer', {
    summary:
      'Follow the lists: events `imports` with those that changed, `removed`, `schedules`, and `import`, `sync`, `planning` (of a sync), `check` or `export` where one moved, or has come further (once a second)',
    query: z.strictObject({
      id: z
        .string()
        .max(200)
        .optional()
        .describe('Only events of this import, with its check, or of this sync, export, or schedule (its name).'),
    }),
    answer: fileOf('Events as they happen.', 'text/event-stream'),
  }),
};
