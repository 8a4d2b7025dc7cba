import type { Command } from 'commander';
import { BAN_CHECK, type BanChoices, LIFTING } from '../../options/ban-options.ts';
import { withOptions } from './option-flags.ts';

/** Flags for rows that add a user who is banned from the group. */
export type BanFlags = BanChoices;

export function withBans(command: Command): Command {
  return withBanCheck(withOptions(command, LIFTING));
}

export function withBanCheck(command: Command): Command {
  return withOptions(command, BAN_CHECK);
}
