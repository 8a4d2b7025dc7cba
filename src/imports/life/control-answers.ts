import { z } from 'zod';
import { IMPORT_STATES } from '../../membership/import-state.ts';

/** Answers of the data directory's owner on its socket. */

/** An import that it acted on, as far as the commands look at it. */
export const actedOn = z.object({ state: z.enum(IMPORT_STATES), reason: z.string() });

export const tagged = z.object({ tags: z.string() });

/** @param code of the error in the other process; absent if it has none */
export const refusal = z.object({ message: z.string(), code: z.string().optional() });
