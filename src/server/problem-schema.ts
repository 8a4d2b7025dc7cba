import { z } from 'zod';
import { PROBLEM_TYPE, PROBLEMS, type ProblemCode } from './problem.ts';

const problemSchema = z
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
/** The document of a refused request. */
export type ProblemDocument = z.infer<typeof problemSchema>;

type Status = (typeof PROBLEMS)[ProblemCode]['status'];

interface Refusal {
  readonly description: string;
  readonly content: { readonly [PROBLEM_TYPE]: { readonly schema: typeof problemSchema } };
}

/** Refusals that every route may answer with, besides those that it names. */
const ALWAYS: readonly ProblemCode[] = ['TOKEN_REQUIRED', 'TOKEN_REFUSED', 'ROLE_TOO_LOW', 'WRONG_HOST', 'INTERNAL'];

/** The part of a route's responses that refuses: by status, with the codes that it may have. */
export function refusals(...codes: readonly ProblemCode[]): Partial<Record<Status, Refusal>> {
  const byStatus = Map.groupBy(new Set([...codes, ...ALWAYS]), (code) => PROBLEMS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, own]) => [
      status,
      { description: own.join(', '), content: { [PROBLEM_TYPE]: { schema: problemSchema } } },
    ]),
  );
}
