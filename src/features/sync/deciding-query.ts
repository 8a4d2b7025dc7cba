import { z } from 'zod';
import { queryOf } from '../../api/query-options.ts';
import { APPLYING, PROTECTING, REMOVING_BY_NAME, UNDOING } from '../../options/deciding-options.ts';
import { LIFTING, SURVEYING } from '../../options/sending-options.ts';
import { LIMIT_OPTIONS } from './guard-limits.ts';

/** The options that decide every plan. */
export const EXPIRING = { ...PROTECTING, ...REMOVING_BY_NAME, ...APPLYING, ...SURVEYING, ...LIMIT_OPTIONS };
/** Those of plans that may add someone. */
export const DECIDING = { ...LIFTING, ...EXPIRING };

export const undoQuery = z.strictObject(queryOf({ ...DECIDING, ...UNDOING }));

/** Options that decide a plan, as a query has them once it is checked. */
export type DecidingQuery = z.infer<typeof undoQuery>;
