import { IntakeError, listed, shown } from './intake-error.ts';

/** The fields of a membership that an input may have columns for. */
export const FIELDS = ['region', 'guid', 'uid', 'scope', 'onBehalfOf'] as const;
export type Field = (typeof FIELDS)[number];

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

/** The columns of one input as they come to light, and which field is read from which of them. */
export class Columns {
  readonly names: string[] = [];
  readonly #mapping: ColumnMapping;
  readonly #mappedColumns: ReadonlySet<string>;
  readonly #bound = new Map<Field, number>();

  constructor(mapping: ColumnMapping) {
    this.#mapping = mapping;
    this.#mappedColumns = new Set(Object.values(mapping));
  }

  /** Notes the next column. Throws AMBIGUOUS_COLUMN when an earlier one already serves the same field. */
  add(name: string): void {
    const index = this.names.push(name) - 1;
    for (const field of this.#fieldsOf(name.trim())) {
      const earlier = this.#bound.get(field);
      if (earlier !== undefined) throw ambiguous(field, this.names, earlier, index);
      this.#bound.set(field, index);
    }
  }

  /** Notes a column that the header does not name; it serves no field. */
  addExtra(name: string): void {
    this.names.push(name);
  }

  /** Position of the field's column, or -1. */
  indexOf(field: Field): number {
    return this.#bound.get(field) ?? -1;
  }

  nameOf(field: Field): string | undefined {
    return this.names[this.indexOf(field)];
  }

  recognised(): Readonly<Partial<Record<Field, string>>> {
    return Object.fromEntries([...this.#bound].map(([field, index]) => [field, this.names[index] ?? '']));
  }

  /** Throws UNKNOWN_COLUMN when one of these fields is mapped to a column that has not come to light. */
  requireMapped(fields: readonly Field[] = FIELDS): void {
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

  #fieldsOf(name: string): readonly Field[] {
    if (this.#mappedColumns.has(name)) return FIELDS.filter((field) => this.#mapping[field] === name);
    const field = fieldByAlias(name);
    return field === undefined || this.#mapping[field] !== undefined ? [] : [field];
  }
}

function ambiguous(field: Field, names: readonly string[], earlier: number, later: number): IntakeError {
  const [first = '', second = ''] = [names[earlier], names[later]];
  return new IntakeError({
    code: 'AMBIGUOUS_COLUMN',
    what: `two columns stand for the ${field}: ${shown(first)} (column ${earlier + 1}) and ${shown(second)} (column ${later + 1})`,
    remedy:
      first.trim() === second.trim()
        ? 'Rename one of them in the input'
        : `Say which one counts with --map ${field}=${first.trim()} or --map ${field}=${second.trim()}`,
  });
}
