import { z } from 'zod';
import { shapeSettings } from '../api/shape.ts';

/** The rows to try first, by what they ask for. */
const chosen = z.strictObject({ field: z.enum(['guid', 'uid']), is: z.array(z.string().min(1)).min(1) });

/** Options of an import that concern shaping; kept with it. */
export const SHAPING_OPTIONS = {
  /** How rows become memberships, where a row is not simply one. */
  shape: shapeSettings.optional(),
  /** The identity file as the user named it; a copy is in the import's folder. */
  identities: z.strictObject({ name: z.string(), sha256: z.string() }).optional(),
  /** Rows to send first; the others wait until the import is resumed. */
  first: z.int().positive().optional(),
  only: z.array(chosen).min(1).optional(),
  /** Removals and bans that are sent without asking, in a file of changes. */
  maxRemovals: z.int().nonnegative().optional(),
};

/** Removals and bans that a file of changes may have before a person must confirm it. */
export const MOST_REMOVALS = 100;

/** Which rows are sent first. */
export interface Trial {
  readonly first?: number | undefined;
  readonly only?: readonly z.infer<typeof chosen>[] | undefined;
}
