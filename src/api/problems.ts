import { z } from 'zod';
import { ERRORS, REFUSAL_CODES, type RefusalCode } from '../errors/errors.ts';
import { IMPORT_ID } from './fields.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/** The document of a refused request. */
export const problem = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.enum(REFUSAL_CODES as [RefusalCode, ...RefusalCode[]]),
    detail: z.string().meta({ description: 'The problem, in a sentence, with the value.' }),
    field: z.string().optional().meta({ description: 'The option that is wrong.' }),
    remedy: z.string().meta({ description: 'The next step.' }),
    onPages: z.string().optional().meta({ description: 'The same for people who see pages, where it differs.' }),
    possible: z.array(z.string()).optional().meta({ description: 'The values that would be allowed instead.' }),
    id: z.string().optional().meta({ description: 'By which the log can be searched.' }),
  })
  .meta({
    id: 'Problem',
    description: 'The reason why a request was refused (RFC 9457); /docs/errors lists the codes.',
    examples: [
      {
        type: '/docs/errors#UNKNOWN_IMPORT',
        title: ERRORS.UNKNOWN_IMPORT.title,
        status: ERRORS.UNKNOWN_IMPORT.status,
        code: 'UNKNOWN_IMPORT',
        detail: `There is no import ${IMPORT_ID}.`,
        remedy: ERRORS.UNKNOWN_IMPORT.title,
      },
    ],
  });
export type ProblemDocument = z.infer<typeof problem>;
