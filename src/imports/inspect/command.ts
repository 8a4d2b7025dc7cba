import type { RecipeSettings } from '../recipes/recipe.ts';

/** Settings as the flags of a command, each with its value as it can be typed into a shell. */
export function flagsOf(settings: RecipeSettings): string[] {
  const { format, encoding, delimiter, map = {}, guid, scope, onBehalfOf, shape = {} } = settings;
  const { templates = {}, firstOf = {}, split = {} } = shape;
  const flags: (readonly [flag: string, value: string | undefined])[] = [
    ['--format', format === 'auto' ? undefined : format],
    ['--encoding', encoding],
    ['--delimiter', delimiter === '\t' ? 'tab' : delimiter],
    ['--map', pairs(map)],
    ['--guid', guid],
    ['--scope', scope],
    ['--on-behalf-of', onBehalfOf],
    ['--header-row', shape.headerRow?.toString()],
    ['--skip-lines', shape.skipLines?.toString()],
    ['--columns', shape.columns?.join(',')],
    ...Object.entries(firstOf).map(([field, columns]) => [`--${field}`, `{${columns.join(' ?? ')}}`] as const),
    ...Object.entries(templates).map(([field, template]) => [`--${field}`, template] as const),
    ...Object.entries(split).map(([field, separator]) => ['--split', `${field}=${separator}`] as const),
    ['--scope-words', pairs(shape.scopeWords)],
  ];
  return flags.flatMap(([flag, value]) => (value === undefined ? [] : [`${flag} ${quoted(value)}`]));
}

/** `rollcall import members.csv --map …`; what the user has to fill in stands in `<…>`. */
export function commandFor(
  file: string,
  settings: RecipeSettings & { readonly recipe?: string },
  needs: readonly ('guid' | 'identities')[],
): string {
  const { recipe, ...rest } = settings;
  return [
    `rollcall import ${quoted(file)}`,
    ...(recipe === undefined ? [] : [`--recipe ${recipe}`]),
    ...flagsOf(rest),
    ...(needs.includes('guid') ? ['--guid <group>'] : []),
    ...(needs.includes('identities') ? ['--identities <people.csv>'] : []),
  ].join(' ');
}

function pairs(words: Readonly<Partial<Record<string, string>>> | undefined): string | undefined {
  const entries = Object.entries(words ?? {});
  return entries.length === 0 ? undefined : entries.map(([name, value]) => `${name}=${value}`).join(',');
}

function quoted(text: string): string {
  return /^[\p{L}\p{N}_.,:=/@%+-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
