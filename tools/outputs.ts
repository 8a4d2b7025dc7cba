import { z } from 'zod';
import { count, time } from '../src/api/fields.ts';
import { importSummary } from '../src/api/import-summary.ts';
import { importView } from '../src/api/imports.ts';
import { fileFacts } from '../src/api/look.ts';
import { newToken } from '../src/api/service.ts';
import { checkSummary, checkView } from '../src/features/check/operations.ts';
import { exportDocument } from '../src/features/export/operations.ts';
import { recipeFile } from '../src/features/recipes/recipe.ts';
import { schedule, scheduleEntry, scheduleOperations, scheduleRun } from '../src/features/schedule/operations.ts';
import { ending, finding, syncView } from '../src/features/sync/api.ts';
import { IMPORT_STATES } from '../src/membership/import-state.ts';
import { REGIONS } from '../src/membership/membership.ts';

/** Schemas of the commands' `--json` output, from the declarations of the API as far as it has them. */

const id = z.string();
const ended = importSummary.extend({
  interrupted: z
    .literal(true)
    .optional()
    .meta({ description: 'It is under way, and no process works on it: `resume` continues it.' }),
});
const summary = ended.meta({ id: 'ImportSummary', title: 'Summary of an import' });
const begun = z
  .strictObject({ id, pid: z.int().optional() })
  .meta({ description: 'With `--detach`: the import that continues by itself, and its process on this machine.' });
const unfinishedCheck = z.strictObject({ id, state: checkView.shape.state, reason: z.string(), calls: count });
const check = z.union([checkSummary, unfinishedCheck]);
const carriedOut = z.union([summary, begun, check]);
const moved = z.strictObject({ id, state: z.enum(IMPORT_STATES) });
const steered = z.union([moved, summary]);
const removed = z.strictObject({ name: z.string(), removed: z.literal(true) });
const knownRecipe = recipeFile
  .extend({ name: z.string(), saved: z.boolean().meta({ description: 'False: it comes with rollcall.' }) })
  .meta({ id: 'KnownRecipe' });

const sync = syncView
  .extend({
    findings: z.array(finding).meta({ description: 'What the guards object to. Empty: nothing.' }),
    import: summary.nullable().meta({ description: 'Of the import that carries it out; null: there is none.' }),
  })
  .meta({ id: 'SyncDocument' });

const token = newToken.pick({ id: true, name: true, role: true, expiresAt: true });
const user = z.strictObject({
  uid: z.string(),
  name: z.string().nullable(),
  role: z.string().nullable(),
  tags: z.array(z.string()),
  createdAt: time.nullable(),
  deactivatedAt: time.nullable().meta({ description: 'Null: the user is active.' }),
});
const app = z.strictObject({
  id,
  name: z.string().nullable(),
  region: z.string().nullable(),
  createdAt: time.nullable(),
});

/** By command, with its subcommand. */
export const OUTPUTS: Readonly<Record<string, z.ZodType>> = {
  import: carriedOut,
  inspect: fileFacts,
  'recipes list': z.array(knownRecipe),
  'recipes show': recipeFile,
  check,
  list: z.array(
    importSummary.extend(
      importView.pick({ createdAt: true, createdBy: true, kind: true, tags: true, next: true }).shape,
    ),
  ),
  tag: z.strictObject({ id, tags: z.array(z.string()) }),
  status: ended.extend({
    check: checkView
      .extend({ files: z.array(z.string()).meta({ description: 'Every row and every group: paths, or addresses.' }) })
      .optional()
      .meta({ description: 'Of an import that waits after a check with the service.' }),
  }),
  watch: summary,
  pause: steered,
  resume: z.union([summary, begun, check, moved]),
  cancel: steered,
  retry: carriedOut,
  sync,
  'sync apply': sync,
  'sync approve': sync,
  'sync list': z.array(sync),
  expire: sync,
  expiring: z.array(ending),
  export: exportDocument,
  undo: sync,
  'schedule add': schedule,
  'schedule edit': schedule,
  'schedule list': z.array(scheduleEntry),
  'schedule history': scheduleOperations.history.answer,
  'schedule pause': schedule,
  'schedule resume': schedule,
  'schedule remove': removed,
  'schedule run': z.union([scheduleRun, sync]),
  'token create': token.extend({ token: newToken.shape.token }),
  'token list': z.array(
    newToken
      .omit({ own: true, token: true })
      .extend({ revokedAt: time.nullable().meta({ description: 'Null: it is valid.' }) }),
  ),
  'token revoke': z.strictObject({ id, revoked: z.literal(true) }),
  sandbox: z.strictObject({
    url: z.string(),
    caFile: z.string(),
    apps: z.partialRecord(
      z.enum(REGIONS),
      z.strictObject({ appId: z.string(), apiKey: z.string(), authOnlyKey: z.string() }),
    ),
    managementUrl: z.string(),
    management: z.strictObject({ key: z.string(), secret: z.string() }),
    env: z.record(z.string(), z.string()).meta({ description: 'Settings that lead rollcall to it.' }),
  }),
  apps: z.array(app),
  'users list': z.array(user),
  'users token': z.strictObject({
    uid: z.string(),
    platform: z.string().nullable(),
    device: z.string().nullable(),
    authToken: z.string(),
  }),
  message: z.strictObject({
    id: z.string().nullable(),
    region: z.enum(REGIONS),
    receiverType: z.enum(['user', 'group']),
    receiver: z.string(),
    onBehalfOf: z.string(),
  }),
  sources: z.array(
    z.strictObject({
      name: z.string(),
      address: z.string().meta({ description: 'Without a query.' }),
      ok: z.boolean(),
      detail: z.string(),
      remedy: z.string().optional(),
    }),
  ),
  doctor: z.strictObject({
    ok: z.boolean(),
    findings: z.array(
      z.strictObject({
        check: z.string(),
        ok: z.boolean(),
        detail: z.string(),
        remedy: z.string().optional().meta({ description: 'What to do, where it is not well.' }),
      }),
    ),
  }),
  version: z.strictObject({
    version: z.string(),
    node: z.string(),
    sqlite: z.string().nullable(),
    platform: z.string(),
    arch: z.string(),
    folder: z.string(),
    sources: z.boolean().meta({ description: 'It runs from the sources, in a clone.' }),
  }),
};
