import type { InputFormat, InputKind } from '../../options/input-kinds.ts';
import { isTexts, storedJson } from '../../platform/stored-json.ts';
import { enumerate, grouped } from '../../text/wording.ts';
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
  #count = 0;
  readonly #named: string[] = [];

  add(name: () => string, times = 1) {
    this.#count += times;
    if (this.#named.length < 5) this.#named.push(name());
  }

  /** The note about them, if there are any. @param what they are, in the plural @param remedy as a request */
  note(code: string, what: string, remedy?: string): IntakeNote[] {
    if (this.#count === 0) return [];
    const more = this.#count - this.#named.length;
    const places = enumerate([...this.#named, ...(more > 0 ? [`${grouped(more)} more`] : [])]);
    return [{ code, text: `${what}: ${places}${remedy === undefined ? '' : `. ${remedy}`}` }];
  }
}

const MONTH = 'jan|feb|mar|m[aä]r|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez';
/** Ids that are valid, and are probably none. */
const SIGNS = [
  {
    code: 'DATES_AS_IDS',
    test: new RegExp(`^(?:\\d{1,2}-(?:${MONTH})|(?:${MONTH})-\\d{2})$`, 'i'),
    what: 'Ids that look like dates, as a spreadsheet makes them of ids such as 1-2 or mar1',
    remedy: 'Give the column the format Text, and fill it again',
  },
  {
    code: 'MISSING_AS_IDS',
    test: /^(?:null|none|nil|nan|undefined)$/i,
    what: 'Ids that look like what a program writes for a missing value',
    remedy: 'Leave such rows out, or correct them',
  },
];
const ANY = new RegExp(SIGNS.map(({ test }) => test.source).join('|'), 'i');
/** No longer text is one of them. */
const LONGEST = 9;

/** Ids that probably are none. A note names them, and nothing else is done about them: they may be ids. */
export class IdNotes {
  readonly #signs = SIGNS.map((sign) => ({ ...sign, found: new Found() }));

  see({ line, uid, guid, problems }: InputRow) {
    if (problems.length > 0) return;
    if (uid.length <= LONGEST && ANY.test(uid)) this.#judge(uid, line);
    if (guid.length <= LONGEST && ANY.test(guid)) this.#judge(guid, line);
  }

  #judge(id: string, line: number) {
    for (const { test, found } of this.#signs) if (test.test(id)) found.add(() => `${shown(id)} in row ${line}`);
  }

  notes() {
    return this.#signs.flatMap(({ code, what, remedy, found }) => found.note(code, what, remedy));
  }
}

/** Rows of a CSV file that have cells and no outcome: of empty cells alone, or the header again. They ask for nothing, and no report has them. */
export class IdleRows {
  readonly blank = new Found();
  readonly headers = new Found();

  notes() {
    return [
      ...this.blank.note('BLANK_ROWS', 'Rows of empty cells alone, which count as blank lines and have no outcome'),
      ...this.headers.note('HEADER_AGAIN', 'Rows with the header again, which have no outcome'),
    ];
  }
}

/** The input as it was read, for the report. */
export interface InputDescription {
  readonly format: InputFormat;
  /** The kind of the file; absent: the same as `format`. */
  readonly kind?: InputKind;
  readonly notes?: readonly IntakeNote[];
  /** The delimiter of a CSV file; otherwise empty. */
  readonly delimiter: string;
  readonly columns: readonly string[];
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
