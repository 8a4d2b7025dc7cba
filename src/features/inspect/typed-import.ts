import { flagOf } from '../../errors/named-options.ts';
import { type ByLookup, LOOKUPS, type LookupName, mapLookups } from '../../options/lookups.ts';
import { flagTextsOf } from '../../options/shape-flags.ts';
import { shellWord } from '../../text/terminal-text.ts';
import type { RecipeSettings } from '../recipes/recipe.ts';

type Settings = RecipeSettings & { readonly recipe?: string };

/** The flags that say the same as settings, with the values behind them. */
function flagsOf({ recipe, format, delimiter, map, shape = {}, ...texts }: Settings) {
  const { templates: { uid: _, ...templates } = {}, firstOf = {} } = shape;
  const first = Object.entries(firstOf).map(([field, names]) => [field, names.join('|')]);
  const columns = Object.entries({ ...map, ...Object.fromEntries(first), ...templates });
  const own = {
    recipe,
    format: format === 'auto' ? undefined : format,
    delimiter: delimiter === '\t' ? 'tab' : delimiter,
    map: columns.map(([field, column]) => `${field}=${column}`).join(','),
    ...texts,
  };
  return [...Object.entries(own), ...flagTextsOf(shape)];
}

/** The parts of a suggested command that no option is about. */
export interface Typed {
  readonly name: string;
  /** Identity and group file as the user named them, where they are given; they are not read. */
  readonly lookups?: ByLookup<string> | undefined;
  /** Writes a command about a file, with flags that say where its imports are. Default: without. */
  readonly typed?: ((verb: string, file: string, ...more: readonly string[]) => string) | undefined;
}

/** `rollcall import members.csv --map …`; the user fills in `<…>`. @param needs additions that the user has to make */
export function commandFor(
  { name, lookups = {}, typed = (...words) => ['rollcall', ...words].join(' ') }: Typed,
  settings: Settings,
  needs: readonly ('guid' | LookupName)[],
): string {
  const flags = flagsOf(settings).flatMap(([name, values = '']) =>
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
