import { PROBLEMS, type ProblemCode } from '../api/problem-codes.ts';
import { PROBLEM_TYPE, type ProblemDocument, problem } from '../api/problems.ts';
import { RollcallError } from '../errors/rollcall-error.ts';

/** The reason why a request is refused: answered as a problem document (RFC 9457). */
export class Problem extends RollcallError {
  declare readonly code: ProblemCode;
  readonly extra: ProblemExtra;
  readonly statusCode: number;

  /** @param detail One sentence, with the value that is refused. */
  constructor(code: ProblemCode, detail: string, extra: ProblemExtra = {}) {
    const { remedy } = extra;
    super(code, detail, {
      remedy,
      ...(remedy !== undefined && { message: `${detail} ${remedy}` }),
      kind: PROBLEMS[code].status < 500 ? 'usage' : 'fatal',
    });
    this.extra = extra;
    this.statusCode = PROBLEMS[code].status;
  }
}

export interface ProblemExtra {
  /** The option that is wrong. */
  readonly field?: string;
  /** The values that are allowed instead. */
  readonly possible?: readonly string[];
  /** In place of the code's own. */
  readonly remedy?: string;
  /** By which the log can be searched. */
  readonly id?: string;
}

/** The document that the client gets. */
export function problemDocument({ code, what, extra }: Problem): ProblemDocument {
  const { status, title, remedy } = PROBLEMS[code];
  const hasWays = code !== 'WRONG_STATE' || (extra.possible ?? []).length > 0;
  return {
    type: `/docs/errors#${code}`,
    title,
    status,
    code,
    detail: what,
    ...(extra.field !== undefined && { field: extra.field }),
    remedy: extra.remedy ?? (hasWays ? remedy : PROBLEMS.WRONG_STATE.onPages),
    ...(extra.possible !== undefined && { possible: [...extra.possible] }),
    ...(extra.id !== undefined && { id: extra.id }),
  };
}

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
  'DAMAGED_LEDGER',
  'LEDGER_MISSING',
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
