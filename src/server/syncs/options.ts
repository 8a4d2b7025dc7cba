import { z } from 'zod';
import { INCLUDE_UNCERTAIN } from '../../api/plan.ts';
import { type ImportOptions, intakeOptions } from '../../imports/import-options.ts';
import { LIMITS, LimitError, type LimitName, limitsWith } from '../../syncs/guard-limits.ts';
import { DEFAULT_FLAGS, type SyncFlags, type UndoFlags } from '../../syncs/plan-flags.ts';
import type { Reading } from '../../syncs/sync-options.ts';
import { asSentence } from '../../text/wording.ts';
import { Problem } from '../problem.ts';
import { CREATE_QUERY } from '../uploads/create-query.ts';
import { KEPT_READING, type Otherwise, optionsOf, RECIPE } from '../uploads/options.ts';

const choice = z.enum(['true', 'false']).optional();

const uids = z
  .union([z.string(), z.array(z.string())])
  .transform((given, context) => {
    const found = [given].flat().flatMap((text) => text.split(',').map((uid) => uid.trim()));
    if (!found.includes('')) return found;
    context.addIssue({ code: 'custom', message: 'allowed are UIDs, with commas between them' });
    return z.NEVER;
  })
  .optional();

function limitOf(name: LimitName) {
  const { default: byDefault, unit, why } = LIMITS[name];
  return z
    .string()
    .transform((text, context) => {
      const limit = /^\d+(\.\d+)?%?$/.test(text.trim()) ? Number.parseFloat(text) : Number.NaN;
      try {
        limitsWith({ [name]: limit });
        return limit;
      } catch (error) {
        if (!(error instanceof LimitError)) throw error;
        context.addIssue({ code: 'custom', message: error.remedy ?? error.what });
        return z.NEVER;
      }
    })
    .optional()
    .meta({ description: `Guards: ${why}. Default: ${byDefault}${unit === 'percent' ? ' (percent)' : ''}.` });
}

type LimitOption = `limit.${LimitName}`;
const PREFIX = 'limit.';
const NAMES = Object.keys(LIMITS) as LimitName[];
const LIMIT_OPTIONS = Object.fromEntries(NAMES.map((name) => [`${PREFIX}${name}`, limitOf(name)])) as Readonly<
  Record<LimitOption, ReturnType<typeof limitOf>>
>;

/** What every plan is decided by. */
const DECIDING = {
  allowUnban: choice.meta({ description: 'Add users who are banned, which lifts their ban.' }),
  protect: uids.meta({
    description: 'UIDs to never remove, ban or lower. May be given several times.',
  }),
  removeNamed: uids.meta({
    description: 'UIDs that may be removed even if they are owner, admin or protected.',
  }),
  apply: choice.meta({ description: 'Carry the plan out at once, unless a guard objects. Default: false.' }),
  ...LIMIT_OPTIONS,
};

export const undoQuery = z.strictObject({
  ...DECIDING,
  includeUncertain: choice.meta({ description: `${asSentence(INCLUDE_UNCERTAIN)}` }),
});

export const syncQuery = z.strictObject({
  name: z.string().max(1_000).optional().meta({
    description:
      'What the file is called. Syncs of one name are runs of the same sync: guards compare each with the one before.',
  }),
  mode: z.enum(['add', 'mirror']).optional().meta({
    description: 'add never removes; mirror also looks at members who are not in the file. Default: add.',
  }),
  missing: z.enum(['report', 'remove', 'ban']).optional().meta({
    description: 'With mode=mirror: what to do about them. Default: report.',
  }),
  allowDemotion: choice.meta({ description: 'Lower scopes where the file says so; otherwise scopes are only raised.' }),
  ...DECIDING,
  ...CREATE_QUERY,
  ...KEPT_READING,
  ...RECIPE,
});

type UndoQuery = z.infer<typeof undoQuery>;
export type SyncQuery = z.infer<typeof syncQuery>;

/** What a plan is decided by, as the runner takes it. */
export interface Decision<Flags> {
  readonly flags: Flags;
  readonly limits: Readonly<Record<string, number>>;
  readonly apply: boolean;
}

export function undoDecision(query: UndoQuery): Decision<UndoFlags> {
  return {
    flags: {
      allowUnban: query.allowUnban === 'true',
      protect: new Set(query.protect),
      removeByName: new Set(query.removeNamed),
      ...(query.includeUncertain === 'true' && { includeUncertain: true }),
    },
    limits: Object.fromEntries(
      NAMES.flatMap((name) => {
        const limit = query[`${PREFIX}${name}`];
        return limit === undefined ? [] : [[name, limit]];
      }),
    ),
    apply: query.apply === 'true',
  };
}

/** @throws Problem BAD_OPTION where options contradict each other */
export function syncDecision(query: SyncQuery): Decision<SyncFlags> {
  const { mode = DEFAULT_FLAGS.mode, missing } = query;
  if (missing !== undefined && mode !== 'mirror') {
    throw new Problem(
      'BAD_OPTION',
      `missing=${missing} says what to do about members who are not in the file, and mode add ignores them.`,
      { field: 'missing', remedy: 'Add mode=mirror, or leave missing out.' },
    );
  }
  const { flags, ...rest } = undoDecision(query);
  const allowDemotion = query.allowDemotion === 'true';
  return { flags: { ...flags, mode, missing: missing ?? DEFAULT_FLAGS.missing, allowDemotion }, ...rest };
}

const asImportQuery = z.object({ ...KEPT_READING, ...RECIPE, ...CREATE_QUERY });
const AS_IMPORT = Object.keys(asImportQuery.shape);

/** How the file is read and what may be created, as of an import. @throws Problem BAD_OPTION */
export function importOptionsOf(query: SyncQuery, otherwise: Otherwise): ImportOptions {
  const given = Object.entries(query).filter(([name]) => AS_IMPORT.includes(name));
  return optionsOf(Object.fromEntries(given) as z.infer<typeof asImportQuery>, otherwise);
}

/** How the file is read. @throws Problem BAD_OPTION */
export function readingOf(options: ImportOptions): Reading {
  if (options.shape?.actions !== undefined) {
    throw new Problem('BAD_OPTION', 'The file of a sync says who should be a member, not what to change.', {
      field: 'shape',
      remedy: 'Leave out `actions`, or import the file.',
    });
  }
  const { expectRows } = options;
  return { ...intakeOptions(options), ...(expectRows !== undefined && { expectRows }) };
}
