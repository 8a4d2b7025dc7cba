import { option, shapeOption, words } from '../../errors/named-options.ts';
import { FIELDS, type Field } from '../../membership/membership.ts';
import { boundText } from '../../options/bounds.ts';
import { defined } from '../../platform/defined.ts';
import { bareWord, sameName } from '../../text/same-text.ts';
import { nearest } from '../../text/wrong-option.ts';
import { type Bounds, boundsWith, intakeError, listed, orRaise, RENAME_ONE, shown } from './intake-error.ts';

export { FIELDS, type Field } from '../../membership/membership.ts';

/** The role of a column: a field, or, in an import of edits, the action. The action's column has one name only. */
export type ColumnRole = Field | 'action';
const ACTION_COLUMN = 'action';

/** Field → name of the column that it is read from (`--map uid=member`); '' means no column. */
export type ColumnMapping = Readonly<Partial<Record<Field, string>>>;

/** Names by which a column is recognised; case, spaces, `_` and `-` do not matter. */
const ALIASES: Readonly<Record<Field, readonly string[]>> = {
  region: ['region'],
  guid: ['guid', 'group', 'groupid'],
  uid: ['uid', 'user', 'userid', 'member', 'memberid'],
  scope: ['scope', 'role'],
  onBehalfOf: ['onbehalfof', 'actinguser'],
  joinedAt: ['joinedat'],
  until: ['until', 'validuntil', 'memberuntil'],
};

const FIELD_BY_ALIAS: ReadonlyMap<string, Field> = new Map(
  FIELDS.flatMap((field) => ALIASES[field].map((alias) => [alias, field] as const)),
);

/** The field that a column serves by its name. None where it begins with `_`: so do rollcall's own columns in a report. */
export function fieldByAlias(column: string): Field | undefined {
  if (column.startsWith('_')) return undefined;
  return FIELD_BY_ALIAS.get(bareWord(column));
}

interface ColumnsOptions {
  /** Refuses nothing: a field whose column is missing or not certain has none. */
  readonly lenient?: boolean | undefined;
  /** Reads the column `action`, which is ignored otherwise. */
  readonly edits?: boolean | undefined;
  /** False: the names are not in a header row, as in JSON. */
  readonly hasHeader?: boolean | undefined;
  /** The other sheets of the workbook that they come from; of a text, undefined. */
  readonly otherSheets?: readonly string[] | undefined;
  readonly bounds?: Bounds;
  readonly onColumn?: (name: string) => void;
}

/** The columns of one input as they are found, and which field is read from which of them. */
export type Columns = ReturnType<typeof openColumns>;

export function openColumns(mapping: ColumnMapping, options: ColumnsOptions = {}) {
  const { lenient, edits, onColumn, bounds = boundsWith() } = options;
  const names: string[] = [];
  const mapped: ColumnMapping = Object.fromEntries(
    Object.entries(mapping).map(([field, column]) => [field, sameName(column)]),
  );
  /** Positions of the columns that match each role, and of those with each name. */
  const matches = new Map<ColumnRole, number[]>();
  const positions = new Map<string, number[]>();

  function rolesOf(name: string): readonly ColumnRole[] {
    const roles = FIELDS.filter((field) => name !== '' && mapped[field] === name);
    if (roles.length > 0) return roles;
    if (edits && name.toLowerCase() === ACTION_COLUMN) return [ACTION_COLUMN];
    const field = fieldByAlias(name);
    return field === undefined || mapped[field] !== undefined ? [] : [field];
  }

  function note(name: string) {
    onColumn?.(name);
    const index = names.push(name) - 1;
    addTo(positions, sameName(name), index);
    for (const role of rolesOf(sameName(name))) {
      const [earlier = index] = addTo(matches, role, index);
      if (earlier !== index && !lenient) throw ambiguous(role, names, earlier, index);
    }
  }

  const indexOf = (role: ColumnRole) => {
    const [index = -1, other] = matches.get(role) ?? [];
    return other === undefined ? index : -1;
  };
  const nameOf = (role: ColumnRole) => names[indexOf(role)];

  /** Throws UNKNOWN_COLUMN when one of these fields is mapped to a column that was not found. */
  function requireMapped(fields: readonly Field[] = FIELDS) {
    const field = fields.find((one) => (mapped[one] ?? '') !== '' && indexOf(one) === -1);
    if (field !== undefined && !lenient) throw wronglyMapped(field, mapped[field] ?? '', names);
  }

  return {
    names,
    /** Notes the columns of a header. Throws TOO_MANY_COLUMNS, AMBIGUOUS_COLUMN. */
    addHeader: (header: readonly string[]) => {
      requireRoom(bounds, header.length, 'the header', header.filter((name) => name.trim() === '').length);
      for (const name of header) note(name);
    },
    /** Notes the next column. Throws TOO_MANY_COLUMNS; AMBIGUOUS_COLUMN when an earlier one already serves the same field. */
    add: (name: string, place: string) => {
      requireRoom(bounds, names.length + 1, place);
      note(name);
    },
    /** Notes columns past a header of this width, up to a count; they serve no field. Throws TOO_MANY_COLUMNS. */
    addExtras: (count: number, width: number, place: string) => {
      requireRoom(bounds, count, place);
      while (names.length < count) {
        const name = `_extra_${names.length - width + 1}`;
        onColumn?.(name);
        names.push(name);
      }
    },
    /** Position of the column with this name, or -1. Throws AMBIGUOUS_COLUMN where two have it. */
    positionOf: (name: string) => {
      const [at = -1, again] = positions.get(sameName(name)) ?? [];
      if (again !== undefined) throw namedTwice(name, at, again);
      return at;
    },
    /** A column of this name is read for the UID. */
    isUid: (name: string) => rolesOf(sameName(name)).includes('uid'),
    /** Position of the role's column, or -1; without refusals also where several match. */
    indexOf,
    nameOf,
    recognised: (): Readonly<Partial<Record<ColumnRole, string>>> =>
      defined(Object.fromEntries([...matches.keys()].map((role) => [role, nameOf(role)]))),
    requireMapped,
    /**
     * Throws MISSING_COLUMN when there is no column for the UID, or for the GUID and no default either.
     * @param sourced Fields that come from somewhere else than a column that is recognised
     */
    requireMembership: (hasDefaultGuid: boolean, sourced: ReadonlySet<Field> = new Set()) => {
      const needed: readonly Field[] = hasDefaultGuid ? ['uid'] : ['uid', 'guid'];
      const required = needed.filter((field) => !sourced.has(field));
      requireMapped(required);
      const missing = required.filter((field) => indexOf(field) === -1);
      if (missing.length > 0 && !lenient) throw missingColumns(missing, names, matches.size > 0, options);
    },
    /** Throws MISSING_COLUMN when edits are wanted and there is no action column: all rows would count as additions. */
    requireAction: () => {
      if (!edits || indexOf(ACTION_COLUMN) !== -1) return;
      throw intakeError(
        'MISSING_COLUMN',
        `there is no column "${ACTION_COLUMN}", which says of every row whether to add, change or remove; ${theColumns(names)}`,
        `Name the column "${ACTION_COLUMN}"`,
        { column: ACTION_COLUMN },
      );
    },
  };
}

/** Adds a value to those of a key, which it returns. */
function addTo<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): readonly Value[] {
  const values = map.get(key) ?? [];
  values.push(value);
  map.set(key, values);
  return values;
}

function requireRoom(bounds: Bounds, count: number, place: string, nameless = 0) {
  const most = bounds.columns;
  if (count <= most) return;
  const empty = nameless === 0 ? '' : `, ${nameless} of them without a name`;
  throw intakeError(
    'TOO_MANY_COLUMNS',
    `there are ${count} columns${empty}; allowed are ${boundText('columns', most)}`,
    orRaise('Delete the columns that are not needed, or look for missing line breaks', 'columns', bounds, count),
    { place, count, most },
  );
}

function namedTwice(name: string, at: number, again: number) {
  return intakeError(
    'AMBIGUOUS_COLUMN',
    `two columns have the name ${shown(name)}: columns ${at + 1} and ${again + 1}`,
    RENAME_ONE,
    { column: name },
  );
}

function wronglyMapped(field: Field, column: string, names: readonly string[]) {
  return intakeError(
    'UNKNOWN_COLUMN',
    `the ${field} is mapped to ${shown(column)}, a column that the input does not have; ${theColumns(names)}`,
    words`${nameOneOf(column, names)} in ${option('map')}, ${EXACTLY}`,
    { field, column },
  );
}

function missingColumns(
  missing: readonly Field[],
  names: readonly string[],
  isSomeKnown: boolean,
  { hasHeader, otherSheets }: ColumnsOptions,
) {
  const fields = missing.map((field) => `the ${field} (${ALIASES[field].join(', ')})`);
  const map = mapping(missing.map((field) => [field, '<column>']));
  const alternative = missing.includes('guid') ? words`, or put all rows into one group with ${option('guid')}` : '';
  // A text that was taken for one column may have another delimiter.
  const isOneColumn = hasHeader !== false && otherSheets === undefined && names.length === 1;
  const separator = isOneColumn ? /[^\p{L}\p{N}\s_.@"'()-]/u.exec(names[0] ?? '')?.[0] : undefined;
  const name =
    separator === undefined
      ? 'Name'
      : words`If ${shown(separator)} separates the columns, give it with ${option('delimiter')}. Otherwise name`;
  const header =
    isSomeKnown || hasHeader === false
      ? ''
      : words`. The first line must be the header: if it is further down, give its row with ${option('headerRow')}; if there is none, name the columns with ${shapeOption('columns', 'uid,guid', { columns: ['uid', 'guid'] })}`;
  const sheet = otherSheets?.length
    ? words`. If they are in another sheet, name it with ${option('sheet')}: ${listed(otherSheets)}`
    : '';
  return intakeError(
    'MISSING_COLUMN',
    `no column is recognised as ${fields.join(', and none as ')}; ${theColumns(names)}`,
    words`${name} the ${missing.length === 1 ? 'column' : 'columns'} with ${map}${alternative}${header}${sheet}`,
    { fields: missing.join(',') },
  );
}

function theColumns(names: readonly string[]) {
  if (names.length === 0) return 'there are no columns';
  return `${names.length === 1 ? 'the only column is' : 'the columns are'} ${listed(names)}`;
}

function ambiguous(field: ColumnRole, names: readonly string[], earlier: number, later: number) {
  const [first = '', second = ''] = [names[earlier], names[later]];
  return intakeError(
    'AMBIGUOUS_COLUMN',
    `two columns match the ${field}: ${shown(first)} (column ${earlier + 1}) and ${shown(second)} (column ${later + 1})`,
    field === 'action' || first.trim() === second.trim()
      ? RENAME_ONE
      : words`Say which one counts with ${mapping([[field, first.trim()]])} or ${mapping([[field, second.trim()]])}`,
    { field, first, second },
  );
}

function mapping(columns: readonly (readonly [field: string, column: string])[]): ReturnType<typeof option> {
  return option('map', columns.map(([field, column]) => `${field}=${column}`).join(','));
}

const EXACTLY = 'exactly as it is written';

function nameOneOf(column: string, names: readonly string[]) {
  const like = nearest(column, names);
  return like === undefined ? 'Name one of them' : `Write ${shown(like)} or another one`;
}

/** @param reader what needs the column */
export function unknownColumn(column: string, reader: string, names: readonly string[]) {
  return intakeError(
    'UNKNOWN_COLUMN',
    `${reader} needs the column ${shown(column)}, which the input does not have; the columns are ${listed(names)}`,
    `${nameOneOf(column, names)}, ${EXACTLY}`,
    { column },
  );
}
