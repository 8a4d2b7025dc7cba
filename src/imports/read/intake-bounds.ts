import { option, type Words, words } from '../../errors/named-options.ts';
import { BOUND_NAMES, BOUNDS, type BoundName, boundText, KIB, MIB } from '../../options/bounds.ts';
import { grouped } from '../../text/wording.ts';
import { IntakeError, type IntakeErrorAbout } from './intake-error.ts';

/** Bounds of one input. */
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

/**
 * Checks how much a packed input has become so far: a few bytes may stand for gigabytes.
 * @param subject the packed thing, in a message
 * @throws TOO_LARGE
 */
export function checkExpansion(
  subject: string,
  { unpacked, packed, place }: { readonly unpacked: number; readonly packed: number; readonly place?: string },
  bounds: Bounds,
): void {
  const bound = unpacked > bounds.unpacked ? 'unpacked' : 'expansion';
  if (bound === 'expansion' && (unpacked <= FREE_UNPACKED || unpacked <= packed * bounds.expansion)) return;
  const allowed = boundText(bound, bounds[bound]);
  const what =
    bound === 'unpacked'
      ? `${subject} unpacks to more than the ${allowed} that are allowed`
      : `${subject} unpacks to more than ${allowed} times its size (${packed} bytes became ${unpacked}); a membership file hardly ever does`;
  throw new IntakeError('TOO_LARGE', what, orRaise('Import the right file', bound, bounds), {
    place,
    facts: { bytes: unpacked, most: bounds[bound] },
  });
}

interface TooLong extends Pick<IntakeErrorAbout, 'place' | 'facts' | 'cause'> {
  readonly advice: Words;
}

/** An input has more of some things than can be read. @param subject the input, in a message */
export function tooMany(subject: string, most: number, things: string, remedy: Words): IntakeError {
  return new IntakeError('TOO_LARGE', `${subject} has more than ${grouped(most)} ${things}`, remedy, {
    facts: { most },
  });
}

/** A row, a line or an element is larger than its bound. */
export function tooLong(
  part: 'row' | 'line' | 'element',
  bounds: Bounds,
  { advice, facts, ...details }: TooLong,
): IntakeError {
  const bound = part === 'row' ? 'row' : 'element';
  return new IntakeError(
    'ROW_TOO_LONG',
    `the ${part} is larger than ${boundText(bound, bounds[bound])}`,
    orRaise(advice, bound, bounds),
    { facts: { ...facts, most: bounds[bound] }, ...details },
  );
}

/**
 * Watches how much larger than the input its reports would be: each row takes a cell for every column, and in the JSON
 * report of a CSV file the column's name as well, however short the row is.
 */
export class ReportGrowth {
  readonly #bounds: Bounds;
  #columns = 0;
  #names = 0;
  #rows = 0;
  #repeated = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** Notes a column. */
  add(name: string): void {
    this.#columns += 1;
    this.#names += name.length + 5;
  }

  /** Notes text that the report repeats, because a row gives several memberships. */
  repeat(characters: number): void {
    this.#repeated += characters;
  }

  /** Notes rows, and the bytes of text that have been read so far. Throws TOO_LARGE. */
  check(rows: number, read: number, withNames: boolean): void {
    this.#rows += rows;
    const bytes = this.#rows * (this.#columns + (withNames ? this.#names : 0)) + this.#repeated;
    if (bytes <= FREE_REPORT || bytes <= read * this.#bounds.report) return;
    throw new IntakeError(
      'TOO_LARGE',
      `the report would have more than ${Math.floor(bytes / MIB)} MB where ${Math.ceil(read / KIB)} KB have been read, because every ${this.#repeated > 0 ? 'membership' : 'row'} gets a cell for each of the ${this.#columns} columns; allowed are ${this.#bounds.report} times as much`,
      orRaise('Remove the columns that are not needed', 'report', this.#bounds),
      {
        place: `after ${this.#rows} rows`,
        facts: { rows: this.#rows, columns: this.#columns, most: this.#bounds.report },
      },
    );
  }
}
