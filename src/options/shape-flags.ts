import { badUsage } from '../errors/rollcall-error.ts';
import { wholeNumber } from '../platform/allowed-values.ts';
import { readAsSetting, TEXT } from './option.ts';
import {
  actionWordList,
  columnList,
  conditions,
  numberedColumns,
  scopeLists,
  scopeWordList,
  separatorText,
  splitOf,
} from './option-texts.ts';
import { MAX_SKIPPED, type Shape, type ShapeInput, shapeSettings } from './shape.ts';

const row = { value: '<n>', ...readAsSetting(wholeNumber(1, MAX_SKIPPED), String) };
const columns = { value: '<column,...>', parse: columnList, print: (names: readonly string[]) => listed(names) };

/**
 * The flags of a shape, which keeps all of them as one object (docs/shaping.md has an example of each).
 *
 * `at` is the place of the value in it, where that is not the part of the same name; `print` gives the texts that `parse` reads as this
 * value, and is absent where the value is no part of the shape.
 */
export const SHAPING = {
  headerRow: { ...row, help: 'row with the column names; rows above it are skipped' },
  skipLines: { ...row, help: 'rows to skip at the top' },
  columns: {
    ...columns,
    value: '<name,...>',
    help: 'names of the columns of a file without a header; - for one not needed',
  },
  uid: {
    value: '<template>',
    ...TEXT,
    at: 'templates.uid',
    help: 'make the UID of columns: "{email|localpart|lower}"',
  },
  identities: {
    value: '<file>',
    parse: TEXT.parse,
    help: 'look the UID up in this file or address, by e-mail or another key',
  },
  identityKey: {
    ...columns,
    at: 'identities.keys',
    help: 'its columns with keys',
    preset: 'recognised',
  },
  identityUid: {
    value: '<column>',
    ...TEXT,
    at: 'identities.uid',
    help: 'its column with the UID',
    preset: 'recognised',
  },
  groups: {
    value: '<file>',
    parse: TEXT.parse,
    help: 'look the GUIDs up in this file or address, by code, name or another key',
  },
  groupKey: {
    ...columns,
    at: 'groups.keys',
    help: 'its columns with keys',
    preset: 'recognised',
  },
  groupGuid: {
    value: '<column>',
    ...TEXT,
    at: 'groups.guid',
    help: 'its column with the GUID',
    preset: 'recognised',
  },
  split: {
    value: '<field=separator>',
    help: 'several values in a cell: "guid=;"; repeat for more',
    parse: splitOf,
    print: (split: Part<'split'>) => Object.entries(split).map(([field, one]) => `${field}=${separatorText(one)}`),
    repeats: true,
  },
  lists: {
    value: '<scope=column,...>',
    help: 'a column with users for each scope',
    parse: scopeLists,
    print: (lists: Part<'lists'>) =>
      Object.entries(lists)
        .flatMap(([scope, names]) => names.map((name) => `${scope}=${escaped(name)}`))
        .join(','),
    repeats: true,
  },
  wide: {
    ...columns,
    at: 'wide.columns',
    help: 'columns that each stand for a group, with a mark or a scope in the cells; * matches any text',
  },
  wideGuid: {
    value: '<template>',
    ...TEXT,
    at: 'wide.guid',
    help: 'make the GUID of the column name: "{column|slug}"',
  },
  numbered: {
    value: '<guid=name#,scope=name#>',
    help: 'numbered columns: course1, role1, course2, …',
    parse: numberedColumns,
    print: pairs,
  },
  scopeWords: {
    value: '<word=scope,...>',
    help: 'words for scopes; none for no membership, * for all others',
    parse: scopeWordList,
    print: pairs,
    repeats: true,
  },
  where: {
    value: '<column=value,...>',
    help: 'only rows that match; != excludes, and | stands between alternatives',
    parse: conditions,
    print: (all: Part<'where'>) =>
      all
        .map(
          ({ column, is, isNot = [] }) =>
            `${escaped(column)}${is === undefined ? '!=' : '='}${listed(is ?? isNot, '|')}`,
        )
        .join(','),
    repeats: true,
  },
  actions: {
    value: '[column]',
    at: 'actions.column',
    help: 'a file of changes: add, change, remove, ban, unban (default column: action)',
    // Without a column, commander gives true.
    parse: (text: string): string | true => text,
    print: TEXT.print,
  },
  actionWords: {
    value: '<word=action,...>',
    at: 'actions.words',
    help: 'words for actions; none leaves the row out',
    parse: actionWordList,
    print: pairs,
    repeats: true,
  },
} as const;

type Part<Name extends keyof Shape> = NonNullable<Shape[Name]>;
interface ShapeFlag {
  readonly help: string;
  readonly at?: string;
  readonly print?: (value: never) => string | readonly string[];
}
const FLAGS = Object.entries<ShapeFlag>(SHAPING).map(([name, { at = name, print }]) => {
  const [part = name, field] = at.split('.');
  return { name, part, field, print };
});

/** Flags that have no effect without the one that gives the part. */
export const NEEDING = FLAGS.filter(({ name, part }) => name !== part && part in SHAPING);

export type ShapeFlags = {
  readonly [Name in keyof typeof SHAPING]?: ReturnType<(typeof SHAPING)[Name]['parse']>;
};

/** The shape that the flags describe; undefined without any. @throws BAD_USAGE for flags that contradict each other */
export function shapeOf(flags: ShapeFlags): Shape | undefined {
  const parts: Record<string, unknown> = {};
  for (const { name, part, field, print } of FLAGS) {
    const value = flags[name as keyof ShapeFlags];
    if (value === undefined) continue;
    if (field === undefined) parts[part] = print === undefined ? {} : value;
    else parts[part] = { ...(parts[part] as object), ...(value !== true && { [field]: value }) };
  }
  if (Object.keys(parts).length === 0) return undefined;
  const parsed = shapeSettings.safeParse(parts);
  if (parsed.success) return parsed.data;
  throw badUsage(parsed.error.issues.map(({ message }) => message).join('; '));
}

/** The texts of the flags that say the same as a shape. */
export function flagTextsOf(shape: Shape | ShapeInput) {
  const parts = shape as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
  return FLAGS.flatMap(({ name, part, field, print }) => {
    const value = field === undefined ? parts[part] : parts[part]?.[field];
    return value === undefined || print === undefined ? [] : [[name, print(value as never)] as const];
  });
}

/** A comma, an equals sign or a bar of a name does not separate. */
function escaped(text: string) {
  return text.replace(/[=,|]/g, '\\$&');
}

function listed(names: readonly string[], separator = ',') {
  return names.map(escaped).join(separator);
}

function pairs(words: Readonly<Record<string, string>>) {
  return Object.entries(words)
    .map(([name, value]) => `${escaped(name)}=${value}`)
    .join(',');
}
