import { z } from 'zod';

const flag = (description: string) =>
  z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .meta({ description });

/** What becomes of rows that add a user who is banned, as the query says it. */
export const BAN_QUERY = {
  allowUnban: flag('Add users who are banned, which lifts their ban. Default: their rows fail with BANNED.'),
  banCheck: flag(
    'Whether to ask every group who is banned before anything is sent, one call for each. Default: true. Without it, bans can be lifted unnoticed.',
  ),
};
