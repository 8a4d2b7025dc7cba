import { z } from 'zod';
import { queryOf } from '../../../api/query-options.ts';
import type { PlanFlags } from '../../../api/sync-entry.ts';
import { LIFTING } from '../../../options/ban-options.ts';
import { CREATION } from '../../../options/create-options.ts';
import { APPLYING, MODE, PROTECTING, REMOVING_BY_NAME, UNDOING } from '../../../options/deciding-options.ts';
import { type Kept, keptOf } from '../../../options/option.ts';
import { SURVEYING } from '../../../options/sending-options.ts';
import { FROM, KEPT_READING, RECIPE } from '../../../server/uploads/upload-options.ts';
import { LIMITS, LimitError, type LimitName, limitsWith } from '../guard-limits.ts';
import { syncFlags } from '../kept-sync.ts';

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
  ...queryOf({ ...LIFTING, ...PROTECTING, ...REMOVING_BY_NAME, ...APPLYING, ...SURVEYING }),
  ...LIMIT_OPTIONS,
};

export const undoQuery = z.strictObject({ ...DECIDING, ...queryOf(UNDOING) });

export const syncQuery = z.strictObject({
  name: z.string().max(1_000).optional().meta({
    description:
      'Name of the file. Syncs of one name are runs of the same sync: guards compare each with the one before.',
  }),
  ...queryOf({ ...MODE, ...CREATION }),
  ...DECIDING,
  ...FROM,
  ...KEPT_READING,
  ...RECIPE,
});

type UndoQuery = z.infer<typeof undoQuery>;
export type SyncQuery = z.infer<typeof syncQuery>;

/** The options that decide a plan, in the runner's form. */
export interface Decision extends PlanFlags, Kept<typeof SURVEYING> {
  readonly limits: Readonly<Record<string, number>>;
  readonly apply: boolean;
}

/** @throws BadSyncOption */
export function decisionOf(query: UndoQuery | SyncQuery): Decision {
  return {
    ...syncFlags(query),
    limits: Object.fromEntries(
      NAMES.flatMap((name) => {
        const limit = query[`${PREFIX}${name}`];
        return limit === undefined ? [] : [[name, limit]];
      }),
    ),
    apply: query.apply === true,
    ...keptOf(SURVEYING, query),
  };
}
