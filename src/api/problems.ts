import { z } from 'zod';
import { PROBLEMS, type ProblemCode } from './problem-codes.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/** The document of a refused request. */
export const problem = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.enum(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]),
    detail: z.string().meta({ description: 'What is wrong, in a sentence, with the value.' }),
    field: z.string().optional().meta({ description: 'The option that is wrong.' }),
    remedy: z.string().meta({ description: 'What to do next.' }),
    possible: z.array(z.string()).optional().meta({ description: 'What would be allowed instead.' }),
    id: z.string().optional().meta({ description: 'By which the log can be searched.' }),
  })
  .meta({ id: 'Problem', description: 'Why a request was refused (RFC 9457); /docs/errors lists the codes.' });
export type ProblemDocument = z.infer<typeof problem>;
