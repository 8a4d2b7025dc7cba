import { z } from 'zod';
import { IMPORT_STATES } from '../membership/import-state.ts';
import type { ReasonCode } from './reason-codes.ts';

const text = z.string().nullable();
const time = z.number().nullable();

/** An import as the catalog lists it. Times are ms since 1970. */
export const importRecord = z.object({
  id: z.string(),
  state: z.enum(IMPORT_STATES),
  /** The reason for the state, in a sentence. */
  reason: z.string(),
  /** The same for programs; null where the state says all. */
  code: text as z.ZodType<ReasonCode | null>,
  /** JSON of the `Words` that say what to do about it; null where the state says it. */
  remedy: text,
  /** The input as the user named it. */
  file: z.string(),
  /** The path that staging reads. */
  source: z.string(),
  /** JSON of how to read and run it. */
  options: z.string(),
  retryOf: text,
  /** Name of the person who made it or asked for its sync; '' when no person did. */
  createdBy: z.string(),
  /** JSON list of its tags. */
  tags: z.string(),
  /** JSON of its `ImportTotals`; null until it has ended and was counted. */
  totals: text,
  createdAt: z.number(),
  startedAt: time,
  finishedAt: time,
});
export type ImportRecord = Readonly<z.infer<typeof importRecord>>;
