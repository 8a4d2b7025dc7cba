import { z } from 'zod';
import { REGIONS } from '../membership/membership.ts';
import { count, HOST, nextCursor, time } from './fields.ts';
import { cursorOption, limitOption, timeOption } from './query-options.ts';

/** Roles of tokens, from the least: viewers look, operators act, admins decide who may do that. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Whether a role may do what is for another. */
export function reaches(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** Such as "an operator". */
export function aRole(role: Role): string {
  return `${role === 'viewer' ? 'a' : 'an'} ${role}`;
}

const role = z.enum(ROLES);

/** `GET /v1/settings`: how the server was started. Holds no key and no password. */
const settings = z.strictObject({
  version: z.string(),
  profile: z.string().nullable().meta({ description: 'The profile that the settings are of.' }),
  host: z.string().meta({ description: HOST }),
  sandbox: z.boolean(),
  queue: z.enum(['embedded', 'redis']),
  apps: z.partialRecord(z.enum(REGIONS), z.strictObject({ appId: z.string(), keySet: z.boolean() })),
  defaultRegion: z.enum(REGIONS),
  callsPerMinute: count,
  importsPerMinute: count.meta({ description: 'Calls a minute of imports in silence.' }),
  concurrency: count,
  keepDays: z.number().nullable().meta({
    description: 'Days after which finished imports are removed; null: never.',
  }),
  maxUploadBytes: count,
  withWorkers: z.boolean(),
  sources: z.array(z.string()).meta({
    description: 'Folders and addresses that schedules made over the API may read (ROLLCALL_SOURCES); empty: none.',
  }),
});
export type Settings = z.infer<typeof settings>;
export const settingsAnswer = settings.extend({
  namedSources: z.record(z.string(), z.string()).meta({
    description: 'Addresses of the named sources in `sources`, by name, without secrets.',
  }),
  notifyHost: z.string().nullable().meta({
    description: 'Host that is notified when imports finish; null: none.',
  }),
  guardLimits: z
    .array(
      z.strictObject({ name: z.string(), default: z.number(), unit: z.enum(['percent', 'number']), why: z.string() }),
    )
    .meta({ description: 'Limits of the guards of syncs that are used if no other is given.' }),
});
export type SettingsAnswer = z.infer<typeof settingsAnswer>;

/** `POST /v1/session` */
export const loginBody = z.strictObject({
  token: z
    .string()
    .max(200)
    .meta({ examples: ['rct_…'] }),
});
export const loginAnswer = z.strictObject({ role, name: z.string(), expiresAt: time });

/** `GET /v1/session` */
export const session = z.strictObject({ role, name: z.string(), tokenRequired: z.boolean() });
export type Session = z.infer<typeof session>;

/** `GET /v1/audit` */
export const auditQuery = z.strictObject({
  search: z.string().trim().max(200).optional().meta({
    description: 'A part of the name, the action, the target, the detail or the address, in any case.',
  }),
  who: z.string().trim().max(200).optional().meta({ description: 'The whole name, in any case.' }),
  action: z.string().trim().max(60).optional().meta({
    description: 'An action such as `import.cancel`, or the part before the dot, such as `import`.',
  }),
  from: timeOption('start').optional().meta({ description: 'At this time (ISO 8601) or on this day, or later.' }),
  to: timeOption('end').optional().meta({ description: 'Before this time (ISO 8601), or on this day or earlier.' }),
  limit: limitOption(100, 1_000),
  cursor: cursorOption.optional(),
});
export const auditPage = z.strictObject({
  entries: z.array(
    z.strictObject({
      at: time,
      who: z.string().meta({ description: 'Name of the token, or "local".' }),
      role: z.string().meta({ description: 'Empty if no one was identified.' }),
      action: z.string(),
      target: z.string(),
      detail: z.string().meta({ description: 'A summary of the request.' }),
      address: z.string().meta({ description: 'Address of the client, or "command line".' }),
    }),
  ),
  nextCursor,
});
export type AuditPage = z.infer<typeof auditPage>;
