import { z } from 'zod';
import { type Shape, shapeSettings } from '../../api/shape.ts';
import type { ImportOptions } from '../../imports/import-options.ts';
import { chosenRows, ShapeTextError } from '../../imports/read/shape/parse-shape.ts';

/** How rows become memberships, as the query says it. */
export const SHAPE_QUERY = {
  shape: z
    .string()
    .max(100_000)
    .transform((text, context): Shape => {
      try {
        const parsed = shapeSettings.safeParse(JSON.parse(text));
        if (parsed.success) return parsed.data;
        for (const { path, message } of parsed.error.issues) {
          context.addIssue({ code: 'custom', message: `${path.join('.')}: ${message}` });
        }
      } catch {
        context.addIssue({ code: 'custom', message: 'allowed is a JSON object, such as {"split":{"guid":";"}}' });
      }
      return z.NEVER;
    })
    .optional()
    .meta({
      description:
        'How rows become memberships, as a JSON object: `{"split":{"guid":";"},"scopeWords":{"OWNER":"admin","*":"participant"}}`. docs/files.md has every setting.',
    }),
};

const count = z
  .string()
  .regex(/^\d{1,9}$/, 'allowed is a whole number')
  .transform(Number)
  .optional();

export const maxRemovalsQuery = count.meta({
  description: 'Removals and bans that a file of changes may have without being held. Default: 100.',
});

/** Which rows are sent first, and what a file of changes may take away. */
export const TRIAL_QUERY = {
  first: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'allowed is a whole number from 1')
    .transform(Number)
    .optional()
    .meta({ description: 'Send this many rows only; `resume` sends the others.' }),
  only: z
    .union([z.string(), z.array(z.string())])
    .transform((given, context): ImportOptions['only'] => {
      try {
        return [given].flat().flatMap(chosenRows);
      } catch (error) {
        if (!(error instanceof ShapeTextError)) throw error;
        context.addIssue({ code: 'custom', message: `allowed is ${error.message}` });
        return z.NEVER;
      }
    })
    .optional()
    .meta({ description: 'Send these groups or users first: `guid=g1|g2`. May be given several times.' }),
  maxRemovals: maxRemovalsQuery,
};
