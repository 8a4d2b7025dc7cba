import { z } from 'zod';
import { fileFacts } from './file-facts.ts';
import { importView } from './imports.ts';
import { preview } from './preview.ts';
import { problem } from './problems.ts';

/** `POST /v1/look`: what a file is, and how its beginning would be read. */
export const look = z.strictObject({
  facts: fileFacts.nullable().meta({ description: 'Null if it is not known.' }),
  preview: preview.nullable().meta({ description: 'Null if the file cannot be read with these options.' }),
  problem: problem.nullable().meta({ description: 'The reason why it cannot be read.' }),
  before: z
    .strictObject({
      isWhole: z.boolean().meta({ description: 'False: only the beginning and the size are known to be the same.' }),
      import: importView,
    })
    .nullable()
    .meta({ description: 'The last import that sent rows of the same file; null for none.' }),
});
export type FileLook = z.infer<typeof look>;
