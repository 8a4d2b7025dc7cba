import { z } from 'zod';

/** The ways on from where something stands, starting with the one that solves it, each with the operation that does it. */
export function nextSteps<const Operations extends readonly string[]>(operations: Operations) {
  return z
    .array(
      z.strictObject({
        operation: z.enum(operations),
        query: z
          .record(z.string(), z.string())
          .optional()
          .describe('The query of the operation, to which a person agrees.'),
        name: z.string().describe('A label for it.'),
        why: z.string().describe('Its effect, and when it helps: sentences without the last full stop.'),
      }),
    )
    .describe(
      'The next steps for a person, starting with the one that solves it. Empty if there is nothing to do, or nothing can be done.',
    );
}
