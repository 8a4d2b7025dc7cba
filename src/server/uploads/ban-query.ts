import { z } from 'zod';

const flag = (description: string) =>
  z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .meta({ description });

/** What to do with rows that add a banned user, by the query. */
export const BAN_QUERY = {
  allowUnban: flag('Add users who are banned, which lifts their ban. Default: their rows fail with BANNED.'),
  banCheck: flag(
    'Whether to ask every group who is banned before anything is sent, one call for each. Default: true. Without it, bans can be lifted unnoticed.',
  ),
};
