import { type Command, Option } from 'commander';
import type { BanChoices } from '../../imports/ban-options.ts';

/** Flags for rows that add a user who is banned from the group. */
export type BanFlags = BanChoices;

export function withBans(command: Command): Command {
  return command
    .option('--allow-unban', 'add users who are banned, which lifts their ban; without it their rows fail')
    .addOption(noBanCheck());
}

export function noBanCheck(): Option {
  return new Option(
    '--no-ban-check',
    'save the call for each group that asks who is banned; bans can then be lifted unnoticed',
  );
}

/** The choices as the API's query takes them. */
export function banQuery({ allowUnban, banCheck }: BanFlags): readonly (readonly [name: string, value: string])[] {
  return [
    ...(allowUnban ? [['allowUnban', 'true'] as const] : []),
    ...(banCheck === false ? [['banCheck', 'false'] as const] : []),
  ];
}
