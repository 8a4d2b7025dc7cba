import type { z } from 'zod';
import { option, words } from '../../errors/named-options.ts';
import { LIFTING } from '../../options/ban-options.ts';
import { MODE, PROTECTING, REMOVING_BY_NAME, UNDOING } from '../../options/deciding-options.ts';
import { type Given, keptOf } from '../../options/option.ts';
import { planFlags } from './api-plan.ts';
import { BadSyncOption } from './sync-errors.ts';

/** The flags that decide a plan, as they are stored with it. */
export type PlanFlags = Readonly<z.infer<typeof planFlags>>;

/** The flags that decide a sync. */
export type SyncFlags = PlanFlags & { readonly mode: 'add' | 'mirror' };

/** An undo reverses everything the import did, so it has no mode and lowers scopes that the import raised. */
export type UndoFlags = Omit<SyncFlags, keyof typeof MODE>;

/** The careful way: no one loses anything. */
export const DEFAULT_FLAGS: SyncFlags = { ...planFlags.parse({ mode: 'add' }), mode: 'add' };

const CHOICES = { ...MODE, ...LIFTING, ...PROTECTING, ...REMOVING_BY_NAME, ...UNDOING };
export type SyncChoices = Given<typeof CHOICES>;

/** Returns the flags of a sync for these choices; without a choice, the careful ones. @throws BadSyncOption */
export function syncFlags(chosen: SyncChoices): SyncFlags {
  const { mode, missing } = chosen;
  if (missing !== undefined && mode !== 'mirror') {
    throw new BadSyncOption(
      'missing',
      `members who are not in the file are ignored in mode add, which cannot ${missing} them`,
      words`add ${option('mode', 'mirror')}, or leave ${option('missing')} out`,
    );
  }
  return { ...DEFAULT_FLAGS, ...keptOf(CHOICES, chosen) };
}
