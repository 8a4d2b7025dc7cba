import type { Said } from '../../errors/entry.ts';
import type { InputErrorCode } from '../../errors/errors.ts';
import { INPUT_ERRORS } from '../../errors/input-errors.ts';
import { asFlag, option, type Words, words, written } from '../../errors/named-options.ts';
import { messageOf, RollcallError } from '../../errors/rollcall-error.ts';
import { BOUND_NAMES, BOUNDS, type BoundName, boundText, KIB, MIB } from '../../options/bounds.ts';
import { hasPassword, isAddress, schemeOf } from '../../text/address-text.ts';
import { grouped } from '../../text/wording.ts';

/** Facts about a refusal beside its code, its sentence and its remedy: values that the words show, for programs. */
interface IntakeFacts {
  /** The option that is wrong, where it is another one than the code's. */
  readonly option?: string;
  /** The place, if there is one: `line 500000, column "name"`, `byte 1234`. */
  readonly place?: string | undefined;
  readonly cause?: unknown;
  readonly [fact: string]: unknown;
}

/** The input cannot be used. `what`: the place, and what is wrong, without a full stop: the same on every surface. */
export interface IntakeError extends RollcallError<string> {
  readonly code: InputErrorCode;
  /** `problem`: what is wrong, without the place. */
  readonly facts: IntakeFacts & Record<'what' | 'problem', string> & { readonly remedy: Words };
}

/**
 * The input cannot be used. Message: place, what is wrong, what to do next on the command line.
 * @param problem with the value, and the allowed values. Without a capital and a full stop; names no option
 * @param remedy the next step, as a request. With a capital, without a full stop. An option is named with `option()`, and
 * each surface writes it in its own way (errors/named-options.ts)
 */
export function intakeError(
  code: InputErrorCode,
  problem: string,
  remedy: Words,
  { cause, ...facts }: IntakeFacts = {},
): IntakeError {
  const what = facts.place === undefined ? problem : `${facts.place}: ${problem}`;
  const error = new RollcallError<string>(code, { ...facts, problem, what, remedy }, { cause });
  error.message = `${what}. ${written(remedy, asFlag)}.`;
  return error as IntakeError;
}

/** By code and fact: a request has a TOO_LARGE of its own. */
export function isIntakeError(error: unknown): error is IntakeError {
  return error instanceof RollcallError && error.code in INPUT_ERRORS && 'problem' in (error.facts as Said);
}

/** The refusal of a request that gives such an input: of the option to change, or of the file itself. */
export function refusalOf({ code, what, facts }: Pick<IntakeError, 'code' | 'what' | 'facts'>) {
  const { remedy, option: field = INPUT_ERRORS[code].field } = facts;
  return new RollcallError(field === undefined ? 'BAD_BODY' : 'BAD_OPTION', { what, remedy, field });
}

/** The same of an error; another error as it is. */
export function inputRefusal(error: unknown): unknown {
  return isIntakeError(error) ? refusalOf(error) : error;
}

/** A setting of shaping cannot be used, such as a template. */
export function badShape(what: string, remedy: string) {
  return intakeError('BAD_SHAPE', what, remedy);
}

export const WRITE_ROWS = 'Write rows into it, or name another file';
export const RENAME_ONE = 'Rename one of them in the input';

export function emptyFile(file: string) {
  return intakeError('EMPTY', `${shownPath(file)} is empty`, WRITE_ROWS, { file });
}

/** Schemes by which Azure's tools name blobs. */
const AZURE = /^(?:az|azure|abfss?|wasbs?)$/;

/** Refuses an address where a file is needed, by its scheme: the rest may be a secret. Throws BAD_ADDRESS. */
export function refuseAddress(text: string, supported = 'the path of a file') {
  if (!isAddress(text)) return;
  const scheme = schemeOf(text) ?? '';
  const isAzure = AZURE.test(scheme) && supported.includes('https://');
  const secret = hasPassword(text) ? ', and this one holds a password' : '';
  throw intakeError(
    'BAD_ADDRESS',
    `${scheme === '' ? 'such' : `${scheme}://`} addresses are not supported here${secret}; supported is ${supported}`,
    isAzure
      ? 'Name the blob by its https address with a SAS token, https://ACCOUNT.blob.core.windows.net/CONTAINER/BLOB?sp=r&…&sig=…, in quotes'
      : secret === ''
        ? 'Save what is there as a file, and name that file'
        : 'Save what is there as a file, and name that file; give the password to the program that saves it in an environment variable or in a file, because a command line can be read by others and is kept in histories and logs',
    { scheme },
  );
}

/** @param cannot what the system refuses, such as "be opened" */
export function notReadable(name: string, cannot: string, cause: unknown) {
  return intakeError(
    'NOT_READABLE',
    `${shownPath(name)} cannot ${cannot}: ${messageOf(cause)}`,
    'Check the path and its permissions',
    { file: name, cause },
  );
}

const MAX_SHOWN_LENGTH = 60;

/** Invisible characters: formats such as the zero-width space, unusual blanks, private ones. */
const INVISIBLE = /[\p{Cf}\p{Co}\p{Zl}\p{Zp}]|(?! )\p{Zs}|[\u007f-\u009f]/gu;

/** A value for a message: in quotes, invisible characters escaped, cut when it is longer than `most`. */
export function shown(value: string, most = MAX_SHOWN_LENGTH) {
  return value.length <= most ? quoted(value) : `${quoted(cut(value, most))}…`;
}

/** A path in quotes; of a long one the end, which has the name of the file. */
export function shownPath(path: string) {
  const most = 2 * MAX_SHOWN_LENGTH;
  if (path.length <= most) return quoted(path);
  const end = path.slice(-most);
  return `…${quoted(/^[\udc00-\udfff]/.test(end) ? end.slice(1) : end)}`;
}

function quoted(value: string) {
  const escaped = (character: string) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  return JSON.stringify(value).replace(INVISIBLE, escaped);
}

/** The first `most` units of a text, without half a character at the end. */
function cut(text: string, most: number) {
  const half = /[\ud800-\udbff]/.test(text[most - 1] ?? '');
  return text.slice(0, half ? most - 1 : most);
}

const MAX_LISTED = 40;
/** A name must be given back exactly as it is written, so it is cut late. */
const MAX_NAME_LENGTH = 300;
const MAX_LIST = 2_000;

export function listed(names: readonly string[]) {
  const texts: string[] = [];
  let length = 0;
  for (const name of names.slice(0, MAX_LISTED)) {
    const text = shown(name, MAX_NAME_LENGTH);
    length += text.length;
    if (texts.length > 0 && length > MAX_LIST) break;
    texts.push(text);
  }
  const more = names.length - texts.length;
  return texts.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

export type Bounds = Readonly<Record<BoundName, number>>;

/** Those that are raised or lowered for one input. */
export type GivenBounds = Readonly<Partial<Record<BoundName, number | undefined>>>;

/** Levels of nesting in a JSON element. Rows are flat; what is far deeper would exhaust the stack when it is written. */
export const MAX_DEPTH = 100;
export const TOO_DEEP = `it is nested deeper than ${MAX_DEPTH} levels`;

/** Unpacked bytes up to which any expansion is allowed: this little does no harm. */
const FREE_UNPACKED = 16 * MIB;

/** Bytes of a report up to which any growth is allowed. */
const FREE_REPORT = 256 * MIB;

export function boundsWith(raised: GivenBounds = {}): Bounds {
  return Object.fromEntries(BOUND_NAMES.map((name) => [name, raised[name] ?? BOUNDS[name].default])) as Bounds;
}

/** `advice`, and how to raise the bound where the file is right; `needed`: what it takes at least. */
export function orRaise(advice: Words, name: BoundName, bounds: Bounds, needed = bounds[name] + 1): Words {
  const { most } = BOUNDS[name];
  if (needed > most) return words`${advice}; ${boundText(name, most)} is the most that can be allowed`;
  const example = Math.max(needed, Math.min(most, bounds[name] * 4));
  const raised = option('bound', `${name}=${boundText(name, example)}`);
  return words`${advice}, or allow more with ${raised} (at most ${boundText(name, most)})`;
}

/** Throws TOO_LARGE for a packed input that has become too much: a few bytes may stand for gigabytes. */
export function checkExpansion(
  subject: string,
  { unpacked, packed, place }: { readonly unpacked: number; readonly packed: number; readonly place?: string },
  bounds: Bounds,
) {
  const bound = unpacked > bounds.unpacked ? 'unpacked' : 'expansion';
  if (bound === 'expansion' && (unpacked <= FREE_UNPACKED || unpacked <= packed * bounds.expansion)) return;
  const allowed = boundText(bound, bounds[bound]);
  const what =
    bound === 'unpacked'
      ? `${subject} unpacks to more than the ${allowed} that are allowed`
      : `${subject} unpacks to more than ${allowed} times its size (${packed} bytes became ${unpacked}); a membership file hardly ever does`;
  throw intakeError('TOO_LARGE', what, orRaise('Import the right file', bound, bounds), {
    place,
    bytes: unpacked,
    most: bounds[bound],
  });
}

/** An input has more of some things than can be read. @param subject the input, in a message */
export function tooMany(subject: string, most: number, things: string, remedy: Words) {
  return intakeError('TOO_LARGE', `${subject} has more than ${grouped(most)} ${things}`, remedy, {
    most,
  });
}

export function tooLong(part: 'row' | 'line' | 'element', bounds: Bounds, advice: Words, facts: IntakeFacts) {
  const bound = part === 'row' ? 'row' : 'element';
  const most = bounds[bound];
  const what = `the ${part} is larger than ${boundText(bound, most)}`;
  return intakeError('ROW_TOO_LONG', what, orRaise(advice, bound, bounds), { ...facts, most });
}

/**
 * Watches how much larger than the input its reports would be: each row takes a cell for every column, and in the JSON
 * report of a CSV file the column's name as well, however short the row is.
 */
export function reportGrowth(bounds: Bounds) {
  let columns = 0;
  let names = 0;
  let all = 0;
  let repeated = 0;

  function add(name: string) {
    columns += 1;
    names += name.length + 5;
  }

  /** Notes text that the report repeats, because a row gives several memberships. */
  function repeat(characters: number) {
    repeated += characters;
  }

  /** Notes rows, and the bytes of text that have been read so far. Throws TOO_LARGE. */
  function check(rows: number, read: number, withNames: boolean) {
    all += rows;
    const bytes = all * (columns + (withNames ? names : 0)) + repeated;
    if (bytes <= FREE_REPORT || bytes <= read * bounds.report) return;
    throw intakeError(
      'TOO_LARGE',
      `the report would have more than ${Math.floor(bytes / MIB)} MB where ${Math.ceil(read / KIB)} KB have been read, because every ${repeated > 0 ? 'membership' : 'row'} gets a cell for each of the ${columns} columns; allowed are ${bounds.report} times as much`,
      orRaise('Remove the columns that are not needed', 'report', bounds),
      {
        place: `after ${all} rows`,
        rows: all,
        columns,
        most: bounds.report,
      },
    );
  }

  return { add, repeat, check };
}
