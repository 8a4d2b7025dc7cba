import type { z } from 'zod';
import { LIFTING } from '../../options/ban-options.ts';
import { MODE, PROTECTING, REMOVING_BY_NAME, UNDOING } from '../../options/deciding-options.ts';
import { type Given, keptOf } from '../../options/option.ts';
import { planFlags } from './api-plan.ts';

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

/** Returns the flags of a sync for these choices; without a choice, the careful ones. */
export function syncFlags(chosen: SyncChoices): SyncFlags {
  return { ...DEFAULT_FLAGS, ...keptOf(CHOICES, chosen) };
}
