import { option, words } from '../../../errors/named-options.ts';
import { boundText } from '../../../options/bounds.ts';
import { type Bounds, orRaise } from '../bounds.ts';
import type { ColumnRole } from '../columns.ts';
import type { InputRow } from '../input-row.ts';
import { IntakeError } from '../intake-error.ts';

/** Columns in front of those of the files. */
const OWN = ['_file', '_file_row'] as const;

/** Field → name of the column that it is read from. */
type Recognised = Readonly<Partial<Record<ColumnRole, string>>>;

/**
 * The columns of several files as those of one, and their rows under these. Columns of the same name are the same, and so
 * are those that serve the same field: their common retry file must be readable as one file.
 */
export class MergedColumns {
  readonly names: string[] = [...OWN];
  readonly #form: 'cells' | 'elements';
  readonly #bounds: Bounds;
  /** Field → name of the column in the file that had one first. */
  readonly #fields = new Map<string, string>();
  /** Place of a column by its field, or by its name and how many of that name are before it in the file. */
  readonly #places = new Map<string, number>();
  #file = '';
  /** Columns of the file that is being read → places; as many as have been noted. */
  #moves: number[] = [];
  #seen = new Map<string, number>();
  /** Whether the file's columns are all the columns so far, in the same order. */
  #isPlain = true;

  constructor(form: 'cells' | 'elements', bounds: Bounds) {
    this.#form = form;
    this.#bounds = bounds;
  }

  /** The rows that come next are those of this file. */
  begin(file: string): void {
    this.#file = file;
    this.#moves = [];
    this.#seen = new Map();
    this.#isPlain = true;
  }

  /** Notes the columns of the file, as far as they are known. Throws TOO_MANY_COLUMNS, AMBIGUOUS_COLUMN. */
  take(columns: readonly string[], recognised: Recognised): void {
    const fields = new Map(Object.entries(recognised).map(([field, name]) => [name, field]));
    if (this.#form === 'elements') this.#checkFields(recognised);
    for (let index = this.#moves.length; index < columns.length; index += 1) {
      const name = columns[index] ?? '';
      const before = this.#seen.get(name) ?? 0;
      this.#seen.set(name, before + 1);
      const field = before === 0 && this.#form === 'cells' ? fields.get(name) : undefined;
      const key = field === undefined ? `${before} ${name}` : field;
      let place = this.#places.get(key);
      if (place === undefined) {
        place = this.names.push(name) - 1;
        this.#places.set(key, place);
        if (this.names.length > this.#bounds.columns) throw tooMany(this.#file, this.names.length, this.#bounds);
      }
      this.#moves.push(place);
      if (place !== index + OWN.length) this.#isPlain = false;
    }
  }

  /** The keys of elements stay as they are, so that a field has the same key in all files. */
  #checkFields(recognised: Recognised): void {
    for (const [field, name] of Object.entries(recognised)) {
      const first = this.#fields.get(field);
      if (first === undefined) this.#fields.set(field, name);
      else if (first !== name) throw otherKey(this.#file, field, first, name);
    }
  }

  /** The row in the merged columns. */
  original({ original, line }: Pick<InputRow, 'original' | 'line'>): string {
    return this.#form === 'cells' ? this.#cells(original, line) : this.#element(original, line);
  }

  #cells(original: string, line: number): string {
    const own = `[${JSON.stringify(this.#file)},"${line}"`;
    if (this.#isPlain) return original === '[]' ? `${own}]` : `${own},${original.slice(1)}`;
    const cells: string[] = [];
    for (const [index, cell] of (JSON.parse(original) as string[]).entries()) {
      const place = this.#moves[index];
      if (place === undefined) throw new TypeError(`a row of ${this.#file} has more cells than columns`);
      while (cells.length < place - OWN.length) cells.push('');
      cells[place - OWN.length] = cell;
    }
    return `${own}${cells.map((cell) => `,${JSON.stringify(cell)}`).join('')}]`;
  }

  /** An element that already names its file, for instance in a retry file, stays as it is. */
  #element(original: string, line: number): string {
    if (OWN.some((name) => this.#seen.has(name))) return original;
    const rest = original.slice(1).trimStart();
    return `{"_file":${JSON.stringify(this.#file)},"_file_row":${line}${rest.startsWith('}') ? '' : ','}${rest}`;
  }
}

function otherKey(file: string, field: string, first: string, name: string): IntakeError {
  return new IntakeError({
    code: 'AMBIGUOUS_COLUMN',
    place: `file ${JSON.stringify(file)}`,
    what: `the ${field} is ${JSON.stringify(name)} here, and ${JSON.stringify(first)} in the files before it`,
    remedy: words`Import files with different keys one after the other, naming those of each with ${option('files')}`,
    facts: { file, field, name, first },
  });
}

function tooMany(file: string, count: number, bounds: Bounds): IntakeError {
  return new IntakeError({
    code: 'TOO_MANY_COLUMNS',
    place: `file ${JSON.stringify(file)}`,
    what: `the files have ${count} different columns together; allowed are ${boundText('columns', bounds.columns)}`,
    remedy: orRaise('Import files with different columns one after the other', 'columns', bounds, count),
    facts: { file, count, most: bounds.columns },
  });
}
