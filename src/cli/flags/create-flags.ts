import type { Command } from 'commander';
import { CREATING, type CreateChoices, MAX_CREATE } from '../../options/create-options.ts';
import { withOptions } from './option-flags.ts';

/** Flags for creating users and groups that the service does not know. */
export type CreateFlags = CreateChoices;
export type MaxCreateFlags = Pick<CreateChoices, 'maxCreate'>;

export function withCreate(command: Command): Command {
  return withMaxCreate(withOptions(command, CREATING));
}

export function withMaxCreate(command: Command): Command {
  return withOptions(command, MAX_CREATE);
}
