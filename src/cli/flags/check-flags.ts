import { type Command, Option } from 'commander';
import type { Given } from '../../options/option.ts';
import { CHECKING, DEFAULT_MAX_CALLS } from '../../options/sending-options.ts';
import { withOptions } from './option-flags.ts';

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
