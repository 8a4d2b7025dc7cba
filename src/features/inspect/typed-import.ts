import type { ByLookup } from '../../options/lookups.ts';
import { separatorText } from '../../options/option-texts.ts';
import type { RecipeSettings } from '../recipes/recipe.ts';

type Flag = readonly [flag: string, value: string | undefined];

/** Settings as the flags of a command, each with its value as it can be typed into a shell. */
function flagsOf(settings: RecipeSettings) {
  const {
    format,
    encoding,
    delimiter,
    map = {},
    guid,
    scope,
    onBehalfOf,
    until,
    sheet,
    files = [],
    shape = {},
  } = settings;
  const { uid, ...templates } = shape.templates ?? {};
  const firstOf = Object.entries(shape.firstOf ?? {}).map(([field, columns]) => [field, columns.join('|')] as const);
  const flags: Flag[] = [
    ['--format', format === 'auto' ? undefined : format],
    ['--sheet', sheet],
    ...files.map((pattern): Flag => ['--files', pattern]),
    ['--encoding', encoding],
    ['--delimiter', delimiter === '\t' ? 'tab' : delimiter],
    ['--map', pairs({ ...map, ...Object.fromEntries(firstOf), ...templates })],
    ['--guid', guid],
    ['--scope', scope],
    ['--on-behalf-of', onBehalfOf],
    ['--until', until],
    ...flagsOfShape(shape),
    ['--uid', uid],
  ];
  return flags.flatMap(([flag, value]) => (value === undefined ? [] : [`${flag} ${typed(value)}`]));
}

function flagsOfShape(shape: NonNullable<RecipeSettings['shape']>): Flag[] {
  const { headerRow, skipLines, columns, split = {}, lists = {}, wide, numbered, scopeWords, where, actions } = shape;
  const { identities, groups } = shape;
  const listed = Object.entries(lists).flatMap(([scope, names]) => names.map((name) => `${scope}=${escaped(name)}`));
  return [
    ['--header-row', headerRow?.toString()],
    ['--skip-lines', skipLines?.toString()],
    ['--columns', columns?.map(escaped).join(',')],
    ...Object.entries(split).map(([field, separator]): Flag => ['--split', `${field}=${separatorText(separator)}`]),
    ['--lists', listed.length === 0 ? undefined : listed.join(',')],
    ['--wide', wide?.columns.map(escaped).join(',')],
    ['--wide-guid', wide?.guid],
    ['--numbered', numbered && pairs(numbered)],
    ['--scope-words', pairs(scopeWords, escaped)],
    ['--where', where?.map(conditionText).join(',')],
    ['--actions', actions?.column],
    ['--action-words', pairs(actions?.words, escaped)],
    ['--identity-key', identities?.keys?.map(escaped).join(',')],
    ['--identity-uid', identities?.uid],
    ['--group-key', groups?.keys?.map(escaped).join(',')],
    ['--group-guid', groups?.guid],
  ];
}

function conditionText({
  column,
  is,
  isNot = [],
}: {
  column: string;
  is?: string[] | undefined;
  isNot?: string[] | undefined;
}) {
  return `${escaped(column)}${is === undefined ? '!=' : '='}${(is ?? isNot).map(escaped).join('|')}`;
}

/** Escapes a text for a flag: a comma, an equals sign or a bar of a name does not separate. */
function escaped(text: string) {
  return text.replace(/[=,|]/g, '\\$&');
}

interface Needs {
  /** The user must fill in a group for all rows. */
  readonly guid: boolean;
  /** Identity and group file, or places for their names. */
  readonly lookups: ByLookup<string>;
}

/** `rollcall import members.csv --map …`; what the user has to fill in is in `<…>`. */
export function commandFor(
  file: string,
  settings: RecipeSettings & { readonly recipe?: string },
  { guid, lookups }: Needs,
): string {
  const { recipe, ...rest } = settings;
  return [
    `rollcall import ${typed(file)}`,
    ...(recipe === undefined ? [] : [`--recipe ${recipe}`]),
    ...flagsOf(rest),
    ...(guid ? ['--guid <group>'] : []),
    ...Object.entries(lookups).map(([flag, file]) => `--${flag} ${file.startsWith('<') ? file : typed(file)}`),
  ].join(' ');
}

function pairs(
  words: Readonly<Partial<Record<string, string>>> | undefined,
  written = (name: string) => name,
): string | undefined {
  const entries = Object.entries(words ?? {});
  return entries.length === 0 ? undefined : entries.map(([name, value]) => `${written(name)}=${value}`).join(',');
}

/** Quotes a text for the shell, if it needs quotes. */
export function typed(text: string): string {
  return /^[\p{L}\p{N}_.,:=/@%+-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
