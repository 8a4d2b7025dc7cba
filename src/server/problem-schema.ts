import { PROBLEM_TYPE, PROBLEMS, type ProblemCode, problem } from '../api/problems.ts';

type Status = (typeof PROBLEMS)[ProblemCode]['status'];

interface Refusal {
  readonly description: string;
  readonly content: { readonly [PROBLEM_TYPE]: { readonly schema: typeof problem } };
}

/** Refusals that every route may answer with, in addition to those that it names. */
const ALWAYS: readonly ProblemCode[] = ['TOKEN_REQUIRED', 'TOKEN_REFUSED', 'ROLE_TOO_LOW', 'WRONG_HOST', 'INTERNAL'];

/** The part of a route's responses that refuses: by status, with the codes that it may have. */
export function refusals(...codes: readonly ProblemCode[]): Partial<Record<Status, Refusal>> {
  const byStatus = Map.groupBy(new Set([...codes, ...ALWAYS]), (code) => PROBLEMS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, own]) => [
      status,
      { description: own.join(', '), content: { [PROBLEM_TYPE]: { schema: problem } } },
    ]),
  );
}
