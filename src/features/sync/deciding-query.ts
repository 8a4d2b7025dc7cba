import { z } from 'zod';
import { queryOf } from '../../api/query-options.ts';
import { isError } from '../../errors/rollcall-error.ts';
import { LIFTING } from '../../options/ban-options.ts';
import { APPLYING, PROTECTING, REMOVING_BY_NAME, UNDOING } from '../../options/deciding-options.ts';
import { SURVEYING } from '../../options/sending-options.ts';
import { LIMITS, type LimitName, limitsWith } from './guard-limits.ts';

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
        if (!isError(error, 'BAD_LIMIT')) throw error;
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
export const EXPIRING = {
  ...queryOf({ ...PROTECTING, ...REMOVING_BY_NAME, ...APPLYING, ...SURVEYING }),
  ...LIMIT_OPTIONS,
};
/** Those of plans that may add someone. */
export const DECIDING = { ...queryOf(LIFTING), ...EXPIRING };

export const undoQuery = z.strictObject({ ...DECIDING, ...queryOf(UNDOING) });

/** Options that decide a plan, as a query has them once it is checked. */
export type DecidingQuery = z.infer<typeof undoQuery>;

/** The limits that a query gives. */
export function limitsOf(query: DecidingQuery): Readonly<Record<string, number>> {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const limit = query[`${PREFIX}${name}`];
      return limit === undefined ? [] : [[name, limit]];
    }),
  );
}
