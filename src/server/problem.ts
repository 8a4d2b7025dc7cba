import { PROBLEMS, type ProblemCode } from '../api/problem-codes.ts';
import type { ProblemDocument } from '../api/problems.ts';
import { RollcallError } from '../errors/rollcall-error.ts';

/** The reason why a request is refused: answered as a problem document (RFC 9457). */
export class Problem extends RollcallError {
  declare readonly code: ProblemCode;
  readonly extra: ProblemExtra;
  readonly statusCode: number;

  /** @param detail One sentence, with the value that is refused. */
  constructor(code: ProblemCode, detail: string, extra: ProblemExtra = {}) {
    super(code, detail, { kind: PROBLEMS[code].status < 500 ? 'usage' : 'fatal' });
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
export function problemDocument({ code, message, extra }: Problem): ProblemDocument {
  const { status, title, remedy } = PROBLEMS[code];
  return {
    type: `/docs/errors#${code}`,
    title,
    status,
    code,
    detail: message,
    ...(extra.field !== undefined && { field: extra.field }),
    remedy: extra.remedy ?? remedy,
    ...(extra.possible !== undefined && { possible: [...extra.possible] }),
    ...(extra.id !== undefined && { id: extra.id }),
  };
}
