import { z } from 'zod';

/** What happens to rows that add a user who is banned from the group. Kept with an import. */
export const BAN_OPTIONS = {
  /** `keep`: the row fails. `lift`: the ban is lifted, and the row says so. Absent: rollcall does not ask who is banned. */
  bans: z.enum(['keep', 'lift']).optional(),
};

export type BanChoice = NonNullable<z.infer<(typeof BAN_OPTIONS)['bans']>>;

/** As flags and queries say it. */
export interface BanChoices {
  readonly allowUnban?: boolean | undefined;
  /** False: do not ask who is banned, which saves a call for each group. Default: true. */
  readonly banCheck?: boolean | undefined;
}

/** The options; an import that does not ask can lift bans without knowing it. */
export function banOptionsOf({ allowUnban = false, banCheck = true }: BanChoices): { readonly bans?: BanChoice } {
  if (!banCheck) return {};
  return { bans: allowUnban ? 'lift' : 'keep' };
}
