import type { z } from 'zod';
import { LIFTING } from '../../options/ban-options.ts';
import { MODE, type PROTECTING, type REMOVING_BY_NAME, UNDOING } from '../../options/deciding-options.ts';
import { type Given, keptOf } from '../../options/option.ts';
import { planFlags } from './api-plan.ts';

/** How a sync decides. */
export interface SyncFlags {
  /** `add` never removes; `mirror` also looks at those whom the file does not name. */
  readonly mode: 'add' | 'mirror';
  /** Mirror: what is done about those whom the file does not name. */
  readonly missing: 'report' | 'remove' | 'ban';
  /** Whether a scope may be lowered; without it scopes only go up. */
  readonly allowDemotion: boolean;
  /** Whether a user in the file may be added while banned, which lifts the ban (publicly known, not contract). */
  readonly allowUnban: boolean;
  /** UIDs that are never removed, banned or lowered. Compared without regard to case. */
  readonly protect: ReadonlySet<string>;
  /** UIDs from which anything may be taken although they are owner, admin or protected. */
  readonly removeByName: ReadonlySet<string>;
  /** Undo: whether it also reverses what a call without an answer may have done. Default: no. */
  readonly includeUncertain?: boolean | undefined;
}

/** The careful way: no one loses anything. */
export const DEFAULT_FLAGS: SyncFlags = {
  mode: 'add',
  missing: 'report',
  allowDemotion: false,
  allowUnban: false,
  protect: new Set(),
  removeByName: new Set(),
};

const CHOICES = { ...MODE, ...LIFTING, ...UNDOING };
export type SyncChoices = Given<typeof CHOICES & typeof PROTECTING & typeof REMOVING_BY_NAME>;

/** How a sync decides by these choices; without a choice, the careful way. */
export function syncFlags({ protect, removeNamed, ...chosen }: SyncChoices): SyncFlags {
  return {
    ...DEFAULT_FLAGS,
    ...keptOf(CHOICES, chosen),
    protect: new Set(protect),
    removeByName: new Set(removeNamed),
  };
}

/** An undo reverses everything the import did, so it has no mode and lowers scopes that the import raised. */
export type UndoFlags = Pick<SyncFlags, 'allowUnban' | 'protect' | 'removeByName' | 'includeUncertain'>;

/** Flags as a plan keeps them. */
export interface PlanFlags extends Omit<SyncFlags, 'mode'> {
  readonly mode: SyncFlags['mode'] | 'undo';
}

/** The same as JSON can say it. */
export function plainFlags(flags: PlanFlags): z.input<typeof planFlags> {
  return { ...flags, protect: [...flags.protect], removeByName: [...flags.removeByName] };
}

export function flagsToJson(flags: PlanFlags): string {
  return JSON.stringify(plainFlags(flags));
}

/** Reads what `flagsToJson` wrote. */
export function flagsFromJson(json: string): PlanFlags {
  return withSets(planFlags.parse(JSON.parse(json)));
}

/** The reverse of `plainFlags`. */
export function withSets<Flags extends Pick<z.infer<typeof planFlags>, 'protect' | 'removeByName'>>({
  protect,
  removeByName,
  ...rest
}: Flags) {
  return { ...rest, protect: new Set(protect), removeByName: new Set(removeByName) };
}
