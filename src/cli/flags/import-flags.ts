import { type Command, Option } from 'commander';
import type { CreateChoices } from '../../options/create-options.ts';
import type { Given } from '../../options/option.ts';
import type { ReadingChoices } from '../../options/reading-options.ts';
import {
  type BanChoices,
  CHECKING,
  DEFAULT_MAX_CALLS,
  type ExpectingChoices,
  type SENDING,
} from '../../options/sending-options.ts';
import type { RunningFlags } from './flags.ts';
import { type RecipeFlags, withOptions } from './option-flags.ts';
import type { ShapeFlags } from './shape-flags.ts';
import type { SourceFlags } from './source-flags.ts';

export interface ImportFlags
  extends BanChoices,
    CheckFlags,
    ReadingChoices,
    CreateChoices,
    ShapeFlags,
    Given<typeof SENDING>,
    RunningFlags,
    RecipeFlags,
    ExpectingChoices,
    SourceFlags {
  readonly check?: true;
  readonly detach?: true;
  readonly tag?: readonly string[];
}

export interface CheckFlags extends Given<typeof CHECKING> {
  readonly yes?: true;
}

/** Adds the flags that limit the cost of a check. */
export function withCheckCost(command: Command) {
  return withOptions(
    command.addOption(new Option('--yes', 'check however many calls it takes').conflicts('maxCalls')),
    CHECKING,
  );
}

export function maxCallsOf({ yes, maxCalls = DEFAULT_MAX_CALLS }: CheckFlags) {
  return yes ? Number.POSITIVE_INFINITY : maxCalls;
}
