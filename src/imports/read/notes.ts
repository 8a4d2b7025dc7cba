import type { InputFormat, InputKind } from '../../options/input-kinds.ts';
import { isTexts, storedJson } from '../../platform/stored-json.ts';
import { counted } from '../../text/wording.ts';
import type { InputRow } from './input-row.ts';
import { shown } from './intake-error.ts';

/** Something that a person should know about an input that was read, although it does not stop it. */
export interface IntakeNote {
  /** Capital letters, as codes of errors. */
  readonly code: string;
  /** A sentence or two, without a full stop at the end. */
  readonly text: string;
}

/** The things that a note is about: their number, and the first ones, which it names. */
export class Found {
  count = 0;
  readonly named: string[] = [];
  readonly #most: number;

  constructor(most = 5) {
    this.#most = most;
  }

  add(name: () => string) {
    this.count += 1;
    if (this.named.length < this.#most) this.named.push(name());
  }

  /** Those without a name. */
  get more() {
    return this.count - this.named.length;
  }
}

const MONTH = 'jan|feb|mar|m[aä]r|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez';
/** Ids that are valid, and are probably none, by the code of their note. */
const SIGNS = {
  DATES_AS_IDS: {
    test: new RegExp(`^(?:\\d{1,2}-(?:${MONTH})|(?:${MONTH})-\\d{2})$`, 'i'),
    says: 'look like a date that a spreadsheet made of an id such as 1-2 or mar1: give the column the format Text, and fill it again',
  },
  MISSING_AS_IDS: {
    test: /^(?:null|none|nil|nan|undefined)$/i,
    says: 'look like what a program writes for a missing value: leave such rows out, or correct them',
  },
} as const;
const CODES = ['DATES_AS_IDS', 'MISSING_AS_IDS'] as const;
const ANY = new RegExp(CODES.map((code) => SIGNS[code].test.source).join('|'), 'i');
/** No longer text is one of them. */
const LONGEST = 9;

/** Ids that probably are none. A note names them, and nothing else is done about them: they may be ids. */
export class IdNotes {
  readonly #found = { DATES_AS_IDS: new Found(), MISSING_AS_IDS: new Found() };

  see({ line, uid, guid, problems }: InputRow) {
    if (problems.length > 0) return;
    if (uid.length <= LONGEST && ANY.test(uid)) this.#judge(uid, line);
    if (guid.length <= LONGEST && ANY.test(guid)) this.#judge(guid, line);
  }

  #judge(id: string, line: number) {
    for (const code of CODES) if (SIGNS[code].test.test(id)) this.#found[code].add(() => `${shown(id)} in row ${line}`);
  }

  notes() {
    return CODES.flatMap((code) => {
      const { count, named, more } = this.#found[code];
      if (count === 0) return [];
      const others = more > 0 ? ` and ${more} more` : '';
      return [{ code, text: `${counted(count, 'id')} (${named.join(', ')}${others}) ${SIGNS[code].says}` }];
    });
  }
}

/** Rows of a CSV file that have cells and no outcome: of empty cells alone, or the header again. They ask for nothing, and no report has them. */
export class IdleRows {
  readonly blank = new Found(3);
  readonly headers = new Found(3);

  notes() {
    return [
      ...noteOf('BLANK_ROWS', this.blank, 'of empty cells alone', ['counts as a blank line', 'count as blank lines']),
      ...noteOf('HEADER_AGAIN', this.headers, 'with the header again', ['is no member', 'are no members']),
    ];
  }
}

function noteOf(code: string, { count, named, more }: Found, what: string, [one, several]: readonly [string, string]) {
  if (count === 0) return [];
  const places = `${count === 1 ? 'row' : 'rows'} ${named.join(', ')}${more > 0 ? ' and others' : ''}`;
  const verdict = count === 1 ? `${one}: it has no outcome` : `${several}: they have no outcome`;
  return [{ code, text: `${counted(count, 'row')} ${what} (${places}) ${verdict}` }];
}

/** The input as it was read, for the report. */
export interface InputDescription {
  /** The stored form of the rows. */
  readonly format: InputFormat;
  /** The kind of the file; absent: the same as `format`. */
  readonly kind?: InputKind;
  /** Remarks on the input for a person. */
  readonly notes?: readonly IntakeNote[];
  /** The delimiter of a CSV file; otherwise empty. */
  readonly delimiter: string;
  /** The original columns in order. */
  readonly columns: readonly string[];
  /** Field -> column that it was read from. */
  readonly recognised: Readonly<Record<string, string>>;
  /** Whether a row may have given several memberships. */
  readonly shaped?: boolean;
  /** Rows of the input and the memberships made of them, as the reader counted: compared with the ledger at the end. */
  readonly rowsRead?: number;
  readonly entries?: number;
}

/** The original columns of an input in order. @param input its row in the ledger; undefined before it was read */
export function columnsOfInput(input: Readonly<Record<string, unknown>> | undefined): string[] {
  return storedJson(String(input?.['columns'] ?? '[]'), 'the columns of a file', isTexts);
}
