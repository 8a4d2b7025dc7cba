import { PROBLEM_TYPE, type ProblemDocument, problem } from '../api/problems.ts';
import { ERRORS, type RefusalCode } from '../errors/errors.ts';
import { asParameter, type Words, written } from '../errors/named-options.ts';
import { RollcallError } from '../errors/rollcall-error.ts';
import { defined } from '../platform/defined.ts';
import { asSentence } from '../text/wording.ts';

/** The reason why a request is refused: answered as a problem document (RFC 9457). */
export class Problem extends RollcallError {
  declare readonly code: RefusalCode;

  /** @param detail One sentence, with the value that is refused. */
  constructor(code: RefusalCode, detail: string, extra: ProblemExtra = {}) {
    const { remedy } = extra;
    super(code, detail, {
      facts: { ...extra },
      remedy,
      ...(remedy !== undefined && { message: `${detail} ${remedy}` }),
    });
  }
}

interface ProblemExtra {
  /** The option that is wrong. */
  readonly field?: string;
  /** The values that are allowed instead. */
  readonly possible?: readonly string[];
  /** In place of the code's own. */
  readonly remedy?: string;
  /** By which the log can be searched. */
  readonly id?: string;
}

/** The document that the client gets for an error whose code has a status. */
export function problemDocument(error: RollcallError): ProblemDocument {
  const { title, status, field } = ERRORS[error.code as RefusalCode];
  const { field: named = field, possible, id } = error.facts as ProblemExtra;
  const [remedy, onPages] = [remedyText(error.remedyOn('api')), remedyText(error.remedyOn('page'))];
  return {
    type: `/docs/errors#${error.code}`,
    title,
    status,
    code: error.code as RefusalCode,
    // What is a sentence already may begin with the name of an option.
    detail: error.what.endsWith('.') ? error.what : asSentence(error.what),
    ...defined({ field: named, possible: possible && [...possible] }),
    remedy,
    ...(onPages !== remedy && { onPages }),
    ...(error.code === 'INTERNAL' && { id }),
  };
}

function remedyText(words: Words = ''): string {
  const text = written(words, asParameter);
  return text === '' ? '' : asSentence(text);
}

interface Refusal {
  readonly description: string;
  readonly content: { readonly [PROBLEM_TYPE]: { readonly schema: typeof problem } };
}

/** Refusals that every route may answer with, in addition to those that it names. */
const ALWAYS: readonly RefusalCode[] = [
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
const OF_BODIES: readonly RefusalCode[] = ['BAD_BODY', 'CROSS_ORIGIN', 'TOO_LARGE', 'MEDIA_TYPE', 'DISK_FULL'];

/** The part of a route's responses that refuses: by status, with the codes that it may have. */
export function refusals(...codes: readonly RefusalCode[]): Record<number, Refusal> {
  const byStatus = Map.groupBy(new Set([...codes, ...ALWAYS]), (code) => ERRORS[code].status);
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
