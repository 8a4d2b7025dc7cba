import { IntakeError, listed, shown } from './intake-error.ts';

/** The fields of a membership that an input may have columns for. */
export const FIELDS = ['region', 'guid', 'uid', 'scope', 'onBehalfOf'] as const;
export type Field = (typeof FIELDS)[number];

/** What a column can be read for: a field, and in an import of edits what is to be done. That column has one name only. */
export type Reading = Field | 'action';
const ACTION_COLUMN = 'action';

/** Field → name of the column that it is read from (`--map uid=member`). */
export type ColumnMapping = Readonly<Partial<Record<Field, string>>>;

/** Names by which a column is recognised; case, spaces, `_` and `-` do not matter (design.md, section 9). */
const ALIASES: Readonly<Record<Field, readonly string[]>> = {
  region: ['region'],
  guid: ['guid', 'group', 'groupid'],
  uid: ['uid', 'user', 'userid', 'member', 'memberid'],
  scope: ['scope', 'role'],
  onBehalfOf: ['onbehalfof', 'actinguser'],
};

const FIELD_BY_ALIAS: ReadonlyMap<string, Field> = new Map(
  FIELDS.flatMap((field) => ALIASES[field].map((alias) => [alias, field] as const)),
);

/** The field that a column serves by its name. None where it begins with `_`: so do rollcall's own columns in a report. */
export function fieldByAlias(column: string): Field | undefined {
  if (column.startsWith('_')) return undefined;
  return FIELD_BY_ALIAS.get(column.toLowerCase().replace(/[\s_-]/g, ''));
}

export interface ColumnsOptions {
  readonly lenient?: boolean | undefined;
  readonly edits?: boolean | undefined;
}

/** The columns of one input as they come to light, and which field is read from which of them. */
export class Columns {
  readonly names: string[] = [];
  readonly #mapping: ColumnMapping;
  readonly #mappedColumns: ReadonlySet<string>;
  readonly #bound = new Map<Reading, number>();
  readonly #lenient: boolean;
  readonly #edits: boolean;
  /** Fields that two columns stand for. */
  readonly #ambiguous = new Set<Reading>();

  /**
   * @param lenient Refuses nothing: a field whose column is missing or not certain has none.
   * @param edits Reads the column `action`, which means nothing otherwise.
   */
  constructor(mapping: ColumnMapping, { lenient = false, edits = false }: ColumnsOptions = {}) {
    this.#edits = edits;
    this.#mapping = mapping;
    this.#lenient = lenient;
    this.#mappedColumns = new Set(Object.values(mapping));
  }

  /** Notes the next column. Throws AMBIGUOUS_COLUMN when an earlier one already serves the same field. */
  add(name: string): void {
    const index = this.names.push(name) - 1;
    for (const field of this.#fieldsOf(name.trim())) {
      const earlier = this.#bound.get(field);
      if (earlier !== undefined && !this.#lenient) throw ambiguous(field, this.names, earlier, index);
      if (earlier !== undefined) this.#ambiguous.add(field);
      if (this.#ambiguous.has(field)) this.#bound.delete(field);
      else this.#bound.set(field, index);
    }
  }

  /** Notes a column that the header does not name; it serves no field. */
  addExtra(name: string): void {
    this.names.push(name);
  }

  /** Position of the field's column, or -1. */
  indexOf(field: Reading): number {
    return this.#bound.get(field) ?? -1;
  }

  nameOf(field: Reading): string | undefined {
    return this.names[this.indexOf(field)];
  }

  recognised(): Readonly<Partial<Record<Reading, string>>> {
    return Object.fromEntries([...this.#bound].map(([field, index]) => [field, this.names[index] ?? '']));
  }

  /** Throws UNKNOWN_COLUMN when one of these fields is mapped to a column that has not come to light. */
  requireMapped(fields: readonly Field[] = FIELDS): void {
    if (this.#lenient) return;
    for (const field of fields) {
      const column = this.#mapping[field];
      if (column === undefined || this.#bound.has(field)) continue;
      throw new IntakeError({
        code: 'UNKNOWN_COLUMN',
        what: `--map ${field}=${column} names a column that the input does not have; its columns are ${listed(this.names)}`,
        remedy: `Name one of them, exactly as it is written`,
      });
    }
  }

  /** Throws MISSING_COLUMN when there is no column for the UID, or for the GUID and no default either. */
  requireMembership(hasDefaultGuid: boolean): void {
    if (this.#lenient) return;
    const required: readonly Field[] = hasDefaultGuid ? ['uid'] : ['uid', 'guid'];
    this.requireMapped(required);
    for (const field of required) {
      if (this.#bound.has(field)) continue;
      const alternative = field === 'guid' ? ', or put all rows into one group with --guid' : '';
      throw new IntakeError({
        code: 'MISSING_COLUMN',
        what: `no column is recognised as the ${field} (${ALIASES[field].join(', ')}); the columns are ${listed(this.names)}`,
        remedy: `Name the column with --map ${field}=<column>${alternative}`,
      });
    }
  }

  /** Throws MISSING_COLUMN when edits are to be read and nothing says which: all rows would pass for additions. */
  requireAction(): void {
    if (!this.#edits || this.#bound.has('action')) return;
    throw new IntakeError({
      code: 'MISSING_COLUMN',
      what: `there is no column "${ACTION_COLUMN}", which says of every row whether to add, change or remove; the columns are ${listed(this.names)}`,
      remedy: `Name the column "${ACTION_COLUMN}"`,
    });
  }

  #fieldsOf(name: string): readonly Reading[] {
    if (this.#mappedColumns.has(name)) return FIELDS.filter((field) => this.#mapping[field] === name);
    if (this.#edits && name.toLowerCase() === ACTION_COLUMN) return ['action'];
    const field = fieldByAlias(name);
    return field === undefined || this.#mapping[field] !== undefined ? [] : [field];
  }
}

function ambiguous(field: Reading, names: readonly string[], earlier: number, later: number): IntakeError {
  const [first = '', second = ''] = [names[earlier], names[later]];
  return new IntakeError({
    code: 'AMBIGUOUS_COLUMN',
    what: `two columns stand for the ${field}: ${shown(first)} (column ${earlier + 1}) and ${shown(second)} (column ${later + 1})`,
    remedy:
      field === 'action' || first.trim() === second.trim()
        ? 'Rename one of them in the input'
        : `Say which one counts with --map ${field}=${first.trim()} or --map ${field}=${second.trim()}`,
  });
}
