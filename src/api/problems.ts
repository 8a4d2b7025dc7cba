import { z } from 'zod';
import { IMPORT_ID } from './fields.ts';
import { PROBLEMS, type ProblemCode } from './problem-codes.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/** The document of a refused request. */
export const problem = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.enum(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]),
    detail: z.string().meta({ description: 'The problem, in a sentence, with the value.' }),
    field: z.string().optional().meta({ description: 'The option that is wrong.' }),
    remedy: z.string().meta({ description: 'The next step.' }),
    possible: z.array(z.string()).optional().meta({ description: 'The values that would be allowed instead.' }),
    id: z.string().optional().meta({ description: 'By which the log can be searched.' }),
  })
  .meta({
    id: 'Problem',
    description: 'The reason why a request was refused (RFC 9457); /docs/errors lists the codes.',
    examples: [
      {
        type: '/docs/errors#UNKNOWN_IMPORT',
        title: PROBLEMS.UNKNOWN_IMPORT.title,
        status: PROBLEMS.UNKNOWN_IMPORT.status,
        code: 'UNKNOWN_IMPORT',
        detail: `There is no import ${IMPORT_ID}.`,
        remedy: PROBLEMS.UNKNOWN_IMPORT.remedy,
      },
    ],
  });
export type ProblemDocument = z.infer<typeof problem>;
