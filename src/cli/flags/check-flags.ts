import { type Command, Option } from 'commander';
import { wholeNumber } from './flags.ts';

/** Calls that a check makes without asking. */
const CALLS_WITHOUT_ASKING = 1_000;
const MAX_CALLS = 1_000_000_000;

export interface CheckFlags {
  readonly yes?: true;
  readonly maxCalls?: number;
}

/** Adds the flags that limit the cost of a check. */
export function withCheckCost(command: Command): Command {
  return command
    .addOption(new Option('--yes', 'check however many calls it takes').conflicts('maxCalls'))
    .option(
      '--max-calls <n>',
      `calls that the check may make; for more it asks, or stops where no one can answer (default: ${CALLS_WITHOUT_ASKING})`,
      wholeNumber(1, MAX_CALLS),
    );
}

export function maxCallsOf({ yes, maxCalls = CALLS_WITHOUT_ASKING }: CheckFlags): number {
  return yes ? Number.POSITIVE_INFINITY : maxCalls;
}
