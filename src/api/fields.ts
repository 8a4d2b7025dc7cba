import { z } from 'zod';
import { REGIONS } from '../membership/membership.ts';
import { OUTCOMES } from '../membership/outcome.ts';

/** Fields that many answers of the HTTP API have. */

/** Id of an import in examples. */
export const IMPORT_ID = '20260301-040501-abc';

/** ISO 8601 in UTC. */
export const time = z.iso.datetime();
export const count = z.int().nonnegative();
export const callsByRegion = z.partialRecord(z.enum(REGIONS), count);

/** The progress of a survey of the service. */
export const surveyProgress = z.strictObject({
  step: z.enum(['groups', 'members', 'owner', 'banned', 'users']),
  done: count,
  of: count.nullable().meta({ description: 'Null for a list whose length is not known.' }),
});
export const rowCounts = z.record(z.enum(['read', ...OUTCOMES]), count).meta({
  description:
    'Rows by outcome. Once the import has finished, `read` is the sum of all others; before that, some rows have no outcome yet.',
});
/** The reason for a state. */
export const stateReason = z.string().meta({ description: 'Reason for the state, in a sentence.' });
export const stateCode = z.string().optional().meta({
  description: 'Reason for the state, if the state does not tell enough. docs/errors.md has the codes.',
});
export const rowNumber = z.int().meta({ description: 'Number of the row in the order of the input, from 1.' });
/** The description of the service's host. */
export const HOST = "The part after `api-<region>.` in the chat service's address.";
/** Actions of an import or a sync. */
export const possible = <const Action extends string>(actions: readonly Action[]) =>
  z.array(z.enum(actions)).meta({ description: 'Actions that are possible now.' });
/** `cursor` of the next page; null on the last one. */
export const nextCursor = z.string().nullable();
/** The input as it was, by column. */
export const original = z.record(z.string(), z.unknown());

/** Something that a person should know about a file, although it does not stop it. */
export const inputNote = z
  .strictObject({ code: z.string(), text: z.string() })
  .meta({ description: 'Remarks on the file for a person, such as which sheet of a workbook was read.' });

/** The destination of an import, sync or schedule. */
export const sentTo = z.strictObject({
  profile: z.string().optional().meta({ description: 'The profile whose settings named it.' }),
  host: z.string().optional().meta({ description: HOST }),
  apps: z.record(z.string(), z.string()).meta({ description: 'The app id of each region.' }),
});
export type SentTo = Readonly<z.infer<typeof sentTo>>;
