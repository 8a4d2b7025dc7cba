import { z } from 'zod';
import { option, type Words, words } from '../../text/named-options.ts';
import { counted, grouped } from '../../text/wording.ts';
import type { ImportRecord } from '../catalog.ts';
import { type MaxCreate, maxCreate } from '../create-options.ts';
import { CreatesNothing } from '../import-errors.ts';
import { readOptions } from '../import-options.ts';
import type { OverLimit } from '../record/creating.ts';

/** Creating is asked about by a person: what is said, and what the answer changes. */

/** What may be said when an import goes on. */
export const resumeChanges = z.object({
  /** How many users and groups it may create, those that it has created included. */
  maxCreate: maxCreate.optional(),
  /** Removals and bans that a file of changes may have. */
  maxRemovals: z.int().nonnegative().optional(),
});
export type ResumeChanges = Partial<z.infer<typeof resumeChanges>>;

/** Why an import waits, and how it goes on. */
export function held(over: readonly OverLimit[]): { readonly reason: string; readonly remedy: Words } {
  const found = over.map(
    ({ kind, missing, limit }) =>
      `the service does not know ${counted(missing, kind)}, and ${grouped(limit)} may be created; nothing more is created`,
  );
  const allowed = over.map(({ kind, missing }) => `${kind}s=${missing}`).join(',');
  return {
    reason: found.join('; '),
    remedy: words`if the columns of the file are right, resume with ${option('maxCreate', allowed)}`,
  };
}

/** The options of an import that goes on, with what was changed. @throws CreatesNothing */
export function withChanges(record: ImportRecord, { maxCreate: max, maxRemovals }: ResumeChanges): string {
  if (max !== undefined) return withChanges({ ...record, options: withMaxCreate(record, max) }, { maxRemovals });
  return maxRemovals === undefined ? record.options : JSON.stringify({ ...readOptions(record), maxRemovals });
}

function withMaxCreate(record: ImportRecord, max: MaxCreate): string {
  const options = readOptions(record);
  if (options.create === undefined) throw new CreatesNothing(record.id);
  return JSON.stringify({ ...options, create: { ...options.create, max: { ...options.create.max, ...max } } });
}
