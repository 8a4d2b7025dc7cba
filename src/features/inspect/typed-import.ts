import { flagOf } from '../../errors/named-options.ts';
import { type ByLookup, LOOKUPS, type LookupName, mapLookups } from '../../options/lookups.ts';
import { separatorText } from '../../options/option-texts.ts';
import { shellWord } from '../../text/terminal-text.ts';
import type { RecipeSettings } from '../recipes/recipe.ts';

type Settings = RecipeSettings & { readonly recipe?: string };

/** The values of the flags that say the same as settings, as they are written behind each; of a list one by one. */
function flagsOf({
  recipe,
  format,
  delimiter,
  map,
  shape = {},
  ...texts
}: Settings): Readonly<Record<string, string | number | undefined | readonly string[]>> {
  const { headerRow, skipLines, columns, split = {}, lists = {}, wide, numbered, scopeWords, where, actions } = shape;
  const { identities, groups, templates: { uid, ...templates } = {}, firstOf = {} } = shape;
  const first = Object.fromEntries(Object.entries(firstOf).map(([field, names]) => [field, names.join('|')]));
  return {
    recipe,
    format: format === 'auto' ? undefined : format,
    delimiter: delimiter === '\t' ? 'tab' : delimiter,
    map: pairs({ ...map, ...first, ...templates }),
    ...texts,
    headerRow,
    skipLines,
    columns: list(columns),
    split: Object.entries(split).map(([field, separator]) => `${field}=${separatorText(separator)}`),
    lists: Object.entries(lists)
      .flatMap(([scope, names]) => names.map((name) => `${scope}=${escaped(name)}`))
      .join(','),
    wide: list(wide?.columns),
    wideGuid: wide?.guid,
    numbered: pairs(numbered),
    scopeWords: pairs(scopeWords, escaped),
    where: where
      ?.map(
        ({ column, is, isNot = [] }) => `${escaped(column)}${is === undefined ? '!=' : '='}${list(is ?? isNot, '|')}`,
      )
      .join(','),
    actions: actions?.column,
    actionWords: pairs(actions?.words, escaped),
    identityKey: list(identities?.keys),
    identityUid: identities?.uid,
    groupKey: list(groups?.keys),
    groupGuid: groups?.guid,
    uid,
  };
}

/** Escapes a text for a flag: a comma, an equals sign or a bar of a name does not separate. */
function escaped(text: string) {
  return text.replace(/[=,|]/g, '\\$&');
}

function list(names: readonly string[] | undefined, separator = ',') {
  return names?.map(escaped).join(separator);
}

function pairs(words: Readonly<Partial<Record<string, string>>> = {}, written = (name: string) => name) {
  return Object.entries(words)
    .map(([name, value]) => `${written(name)}=${value}`)
    .join(',');
}

/** The parts of a suggested command that no option is about. */
export interface Typed {
  readonly name: string;
  /** Identity and group file as the user named them, where they are given; they are not read. */
  readonly lookups?: ByLookup<string> | undefined;
  /** Writes a command of these words, with flags that say where its imports are. Default: without. */
  readonly typed?: ((...words: readonly string[]) => string) | undefined;
}

/**
 * `rollcall import members.csv --map …`; what the user has to fill in is in `<…>`.
 * @param needs additions that the user has to make
 */
export function commandFor(
  { name, lookups = {}, typed = (...words) => ['rollcall', ...words].join(' ') }: Typed,
  settings: Settings,
  needs: readonly ('guid' | LookupName)[],
): string {
  const flags = Object.entries(flagsOf(settings)).flatMap(([name, values = '']) =>
    [values]
      .flat()
      .filter((value) => value !== '')
      .map((value) => `${flagOf(name)} ${shellWord(String(value))}`),
  );
  const files = mapLookups<{ readonly example: string }, string>(LOOKUPS, ({ example }, lookup) => {
    const given = lookups[lookup] ?? (needs.includes(lookup) ? `<${example}>` : undefined);
    return given?.startsWith('<') === false ? shellWord(given) : given;
  });
  return typed(
    'import',
    shellWord(name),
    ...flags,
    ...(needs.includes('guid') ? ['--guid <group>'] : []),
    ...Object.entries(files).map(([flag, value]) => `--${flag} ${value}`),
  );
}
