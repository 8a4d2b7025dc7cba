import { option, type Words, words } from '../../errors/named-options.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import type { OverLimit } from '../../options/create-limit.ts';
import { CREATING, createOptions } from '../../options/create-options.ts';
import { type Given, keptOf } from '../../options/option.ts';
import { bansAfter, GIVING_UP, REMOVING, type RESUMING, STOPPING, TRIAL } from '../../options/sending-options.ts';
import { counted, grouped } from '../../text/wording.ts';
import type { ImportRecord } from '../catalog.ts';
import { readOptions } from '../import-options.ts';
import type { ImportLedger } from '../record/import-ledger.ts';
import { foreseenMissing } from '../stage/leave-out.ts';

/** The question to a person when an import would create more than it may: its text, and what the answer changes. */

/** The options that can change when an import is resumed. */
export type ResumeChanges = Given<typeof RESUMING>;

/** Limits that the import would exceed, by what is foreseen to be missing. */
export async function overAsForeseen(
  folder: string,
  { ledger: { creating } }: { readonly ledger: ImportLedger },
): Promise<readonly OverLimit[]> {
  if (creating === undefined) return [];
  const missing = await foreseenMissing(folder);
  return missing === undefined ? [] : creating.over(missing);
}

/** Returns the reason why an import waits, and how to continue. @param finder what found that so many are missing */
export function held(
  over: readonly OverLimit[],
  finder: 'service' | 'check' = 'service',
): { readonly reason: string; readonly remedy: Words } {
  const found = over.map(({ kind, missing, limit }) =>
    finder === 'service'
      ? `the service does not know ${counted(missing, kind)}, and ${grouped(limit)} may be created; nothing more is created`
      : `the check found ${counted(missing, kind)} that the service does not know, and ${grouped(limit)} may be created; nothing was created`,
  );
  const allowed = over.map(({ kind, missing }) => `${kind}s=${missing}`).join(',');
  return {
    reason: found.join('; '),
    remedy: words`if the columns of the file are right, resume with ${option('maxCreate', allowed)}`,
  };
}

/** The options of an import that is resumed, with the changes, as JSON. @throws CreatesNothing */
export function withChanges(record: ImportRecord, changes: ResumeChanges) {
  const { maxCreate: max } = changes;
  const creating = Object.entries(keptOf(CREATING, changes)).filter(([, choice]) => choice !== false);
  const sending = keptOf({ ...REMOVING, ...STOPPING, ...GIVING_UP, ...TRIAL }, changes);
  const { bans, create: before, ...options } = readOptions(record);
  const after = bansAfter(bans, changes);
  if (creating.length + Object.keys(sending).length === 0 && max === undefined && after.bans === bans)
    return record.options;
  const create = creating.length === 0 ? before : createOptions.parse({ ...before, ...Object.fromEntries(creating) });
  if (max !== undefined && create === undefined) throw new RollcallError('CREATES_NOTHING', { id: record.id });
  return JSON.stringify({
    ...options,
    ...sending,
    ...(create !== undefined && { create: { ...create, max: { ...create.max, ...max } } }),
    ...after,
  });
}
