import type { z } from 'zod';
import { LIFTING } from '../../options/ban-options.ts';
import { MODE, PROTECTING, REMOVING_BY_NAME, UNDOING } from '../../options/deciding-options.ts';
import { type Given, keptOf } from '../../options/option.ts';
import { planFlags } from './api-plan.ts';

/** What a plan is decided by, as it is kept with it. */
export type PlanFlags = Readonly<z.infer<typeof planFlags>>;

/** How a sync decides. */
export type SyncFlags = PlanFlags & { readonly mode: 'add' | 'mirror' };

/** An undo reverses everything the import did, so it has no mode and lowers scopes that the import raised. */
export type UndoFlags = Omit<SyncFlags, keyof typeof MODE>;

/** The careful way: no one loses anything. */
export const DEFAULT_FLAGS: SyncFlags = { ...planFlags.parse({ mode: 'add' }), mode: 'add' };

const CHOICES = { ...MODE, ...LIFTING, ...PROTECTING, ...REMOVING_BY_NAME, ...UNDOING };
export type SyncChoices = Given<typeof CHOICES>;

/** How a sync decides by these choices; without a choice, the careful way. */
export function syncFlags(chosen: SyncChoices): SyncFlags {
  return { ...DEFAULT_FLAGS, ...keptOf(CHOICES, chosen) };
}
