import { z } from 'zod';
import { queryOf } from '../../../api/option-query.ts';
import type { ImportOptions } from '../../../imports/import-options.ts';
import { LIFTING } from '../../../options/ban-options.ts';
import { CREATING, MAX_CREATE } from '../../../options/create-options.ts';
import { APPLYING, MODE, PROTECTING, REMOVING_BY_NAME, UNDOING } from '../../../options/deciding-options.ts';
import { Problem } from '../../../server/problem.ts';
import { FROM, KEPT_READING, RECIPE } from '../../../server/uploads/upload-options.ts';
import { LIMITS, LimitError, type LimitName, limitsWith } from '../guard-limits.ts';
import { type SyncFlags, syncFlags } from '../plan-flags.ts';
import { type SyncInput, syncReadingOf } from '../sync-options.ts';

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

/** The options that decide every plan. */
const DECIDING = {
  ...queryOf({ ...LIFTING, ...PROTECTING, ...REMOVING_BY_NAME, ...APPLYING }),
  ...LIMIT_OPTIONS,
};

export const undoQuery = z.strictObject({ ...DECIDING, ...queryOf(UNDOING) });

export const syncQuery = z.strictObject({
  name: z.string().max(1_000).optional().meta({
    description:
      'What the file is called. Syncs of one name are runs of the same sync: guards compare each with the one before.',
  }),
  ...queryOf({ ...MODE, ...CREATING, ...MAX_CREATE }),
  ...DECIDING,
  ...FROM,
  ...KEPT_READING,
  ...RECIPE,
});

type UndoQuery = z.infer<typeof undoQuery>;
export type SyncQuery = z.infer<typeof syncQuery>;

/** The options that decide a plan, in the runner's form. */
export interface Decision {
  readonly flags: SyncFlags;
  readonly limits: Readonly<Record<string, number>>;
  readonly apply: boolean;
}

export function undoDecision(query: UndoQuery): Decision {
  return {
    flags: syncFlags(query),
    limits: Object.fromEntries(
      NAMES.flatMap((name) => {
        const limit = query[`${PREFIX}${name}`];
        return limit === undefined ? [] : [[name, limit]];
      }),
    ),
    apply: query.apply === true,
  };
}

/** @throws Problem BAD_OPTION where options contradict each other */
export function syncDecision(query: SyncQuery): Decision {
  const { mode, missing } = query;
  if (missing !== undefined && mode !== 'mirror') {
    throw new Problem(
      'BAD_OPTION',
      `missing=${missing} says what to do about members who are not in the file, and mode add ignores them.`,
      { field: 'missing', remedy: 'Add mode=mirror, or leave missing out.' },
    );
  }
  return undoDecision(query);
}

/** Returns the options for reading the file. @throws Problem BAD_OPTION */
export function readingOf(options: ImportOptions): SyncInput {
  if (options.shape?.actions !== undefined) {
    throw new Problem('BAD_OPTION', 'The file of a sync says who should be a member, not what to change.', {
      field: 'shape',
      remedy: 'Leave out `actions`, or import the file.',
    });
  }
  return syncReadingOf(options);
}
