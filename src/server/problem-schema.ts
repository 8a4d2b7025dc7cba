import { PROBLEMS, type ProblemCode } from '../api/problem-codes.ts';
import { PROBLEM_TYPE, problem } from '../api/problems.ts';

type Status = (typeof PROBLEMS)[ProblemCode]['status'];

interface Refusal {
  readonly description: string;
  readonly content: { readonly [PROBLEM_TYPE]: { readonly schema: typeof problem } };
}

/** Refusals that every route may answer with, in addition to those that it names. */
const ALWAYS: readonly ProblemCode[] = [
  'TOKEN_REQUIRED',
  'TOKEN_REFUSED',
  'TOKEN_EXPIRED',
  'ROLE_TOO_LOW',
  'WRONG_HOST',
  'TWO_HOSTS',
  'INTERNAL',
  'BUSY',
  'DATABASE_BUSY',
  'STOPPING',
];
/** Refusals of every route that changes something or has a body. */
const OF_BODIES: readonly ProblemCode[] = ['BAD_BODY', 'CROSS_ORIGIN', 'TOO_LARGE', 'MEDIA_TYPE', 'DISK_FULL'];

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

interface Described {
  readonly description?: string;
}

/** The responses of a route that changes something or has a body, with the refusals of all such routes. */
export function withBodyRefusals(responses: Readonly<Record<string, Described>>): Record<string, Described> {
  const added = Object.entries(refusals(...OF_BODIES)).map(([status, refusal]) => {
    const codes = [responses[status]?.description, refusal.description].flatMap((text) => text?.split(', ') ?? []);
    return [status, { ...refusal, description: [...new Set(codes)].join(', ') }];
  });
  return { ...responses, ...Object.fromEntries(added) };
}
