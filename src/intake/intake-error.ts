/** Everything for which an input is refused as a whole; a single bad row is a RowProblem instead. */
export const INTAKE_ERROR_CODES = [
  'FILE_NOT_FOUND',
  'NOT_A_FILE', // a directory
  'NOT_READABLE', // no permission, or reading failed half-way
  'EMPTY',
  'NO_ROWS', // a header and nothing under it, an empty array
  'BINARY',
  'BAD_ENCODING', // bytes that are not in the encoding that was named or assumed
  'UNKNOWN_ENCODING', // --encoding names one that does not exist
  'BAD_DELIMITER',
  'BAD_DEFAULT', // --guid or --on-behalf-of is not an id
  'GZIP_BROKEN',
  'UNCLOSED_QUOTE',
  'MISPLACED_QUOTE', // a quoted cell goes on after its closing quote
  'ROW_TOO_LONG',
  'JSON_BROKEN',
  'JSON_SHAPE',
  'UNKNOWN_COLUMN', // --map names one that is not there
  'AMBIGUOUS_COLUMN', // two columns for one field
  'MISSING_COLUMN',
] as const;
export type IntakeErrorCode = (typeof INTAKE_ERROR_CODES)[number];

export interface IntakeErrorDetails {
  readonly code: IntakeErrorCode;
  /** Where, when there is a where: `line 500000, column "name"`, `byte 1234`. */
  readonly place?: string;
  /** What is wrong, with the value, and what is allowed. */
  readonly what: string;
  /** What to do next, as a request. */
  readonly remedy: string;
  readonly cause?: unknown;
}

/** The input cannot be used. Message: place, what is wrong, what to do next. */
export class IntakeError extends Error {
  readonly code: IntakeErrorCode;
  readonly place: string | undefined;
  readonly what: string;
  readonly remedy: string;

  constructor({ code, place, what, remedy, cause }: IntakeErrorDetails) {
    super(`${place === undefined ? '' : `${place}: `}${what}. ${remedy}.`, cause === undefined ? undefined : { cause });
    this.name = 'IntakeError';
    this.code = code;
    this.place = place;
    this.what = what;
    this.remedy = remedy;
  }
}

const LONGEST_SHOWN = 60;

/** A value as it may stand in a message: in quotes, control characters escaped, cut when long. */
export function shown(value: string): string {
  return value.length <= LONGEST_SHOWN ? JSON.stringify(value) : `${JSON.stringify(value.slice(0, LONGEST_SHOWN))}…`;
}

const MOST_LISTED = 40;

/** Names as they may stand in a message. */
export function listed(names: readonly string[]): string {
  const more = names.length - MOST_LISTED;
  return names.slice(0, MOST_LISTED).map(shown).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
