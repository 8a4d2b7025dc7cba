import { z } from 'zod';
import { type Given, option, SWITCH } from './option.ts';

/** Options for rows that add a user who is banned from the group. */
export const LIFTING = {
  allowUnban: option({
    ...SWITCH,
    help: 'add users who are banned, which lifts their ban; without it their rows fail with BANNED',
  }),
};
export const BAN_CHECK = {
  banCheck: option({
    ...SWITCH,
    help: 'ask every group who is banned before anything is sent, one call for each',
    preset: 'true',
    off: 'save the call for each group that asks who is banned; bans can then be lifted unnoticed',
  }),
};
export const BANS = { ...LIFTING, ...BAN_CHECK };
export type BanChoices = Given<typeof BANS>;

/**
 * The stored form. `keep`: the row fails. `lift`: the ban is lifted, and the row says so. Absent: nobody asks who is
 * banned.
 */
export const BAN_OPTIONS = { bans: z.enum(['keep', 'lift']).optional() };
export type BanChoice = NonNullable<z.infer<(typeof BAN_OPTIONS)['bans']>>;

/** Options in which the choices are replaced by what is kept of them. */
export function withBansOf<Given extends BanChoices>({ allowUnban, banCheck, ...rest }: Given) {
  return { ...rest, ...banOptionsOf({ allowUnban, banCheck }) };
}

/** The options; an import that does not ask can lift bans without knowing it. */
export function banOptionsOf({ allowUnban = false, banCheck = true }: BanChoices): { readonly bans?: BanChoice } {
  if (!banCheck) return {};
  return { bans: allowUnban ? 'lift' : 'keep' };
}

/** The same after a person has decided once more: only what asks can keep or lift bans. */
export function bansAfter(
  bans: BanChoice | undefined,
  { allowUnban, banCheck }: BanChoices,
): { readonly bans?: BanChoice } {
  if (bans === undefined || banCheck === false) return {};
  return { bans: allowUnban === true ? 'lift' : bans };
}
