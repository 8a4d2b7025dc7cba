import type { FileFacts } from '../../api/file-facts.ts';
import type { ImportOptions } from '../import-options.ts';
import type { InputRow, IntakeSource } from '../read/intake.ts';
import { fitting } from '../recipes/match.ts';
import type { Recipe, RecipeSettings } from '../recipes/recipe.ts';
import { columnFacts } from './column-facts.ts';
import { commandFor } from './command.ts';
import type { Head } from './head.ts';
import { lookAt, seenIn } from './look.ts';
import { suggest } from './suggest.ts';

/** Rows that are looked at. */
const ROWS = 200;
/** Columns that are described; a wide table has hundreds that are alike. */
const MOST_COLUMNS = 100;

export interface InspectOptions {
  readonly name: string;
  readonly bytes: number | undefined;
  readonly head: Head;
  /** Only the beginning of a longer file is there. */
  readonly isCut?: boolean;
  /** Opens the file; it is read several times, each time as far as its first rows. */
  readonly open: () => IntakeSource;
  readonly options: ImportOptions;
  readonly recipes: readonly Recipe[];
}

/** Looks at a file without importing it: what it is, how it would be read, and what to say so that it can be read. */
export async function inspect(inspected: InspectOptions): Promise<FileFacts> {
  const { name, bytes, head, isCut = false, open, options, recipes } = inspected;
  const look = await lookAt(open(), options, { lenient: true, rows: ROWS, isCut });
  const strict = await lookAt(open(), options, { lenient: false, rows: ROWS, isCut });
  const columns = factsOf(look.names.slice(0, MOST_COLUMNS), look.rows, look.format);
  const fits = fitting(recipes, seenIn(look, head));
  const [recipe] = fits;
  const missing = missingIn(look.recognised, options);
  const refusal = strict.refusal ?? look.refusal;
  const isReadable = strict.refusal === undefined && strict.rows.length > 0 && strict.valid === strict.rows.length;
  const guess =
    recipe !== undefined || look.format === undefined
      ? undefined
      : suggest({ columns, recognised: look.recognised, hasGuid: options.guid !== undefined });
  const needs = recipe !== undefined ? neededBy(recipe, options) : isReadable ? [] : [...(guess?.needs ?? [])];
  const chosen = chosenSettings(options);
  const command =
    recipe !== undefined
      ? commandFor(name, { ...chosen, recipe: recipe.name }, needs)
      : guess === undefined
        ? null
        : commandFor(name, isReadable ? chosen : together(chosen, guess.settings), needs);
  return {
    name,
    bytes: bytes ?? null,
    format: look.kind ?? null,
    compression: head.compression ?? null,
    encoding: look.encoding ?? null,
    delimiter: look.delimiter ?? null,
    notes: [...look.notes],
    firstLines: [...head.firstLines],
    columns: columns.map(({ words, ...rest }) => ({
      ...rest,
      examples: [...rest.examples],
      ...(words !== undefined && { words: [...words] }),
    })),
    recognised: look.recognised,
    missing,
    rows: { seen: look.rows.length, valid: strict.valid },
    refusal: refusal === undefined ? null : { code: refusal.code, message: refusal.message },
    recipes: fits.map((one) => ({ name: one.name, title: one.title, needs: one.needs })),
    advice: recipe === undefined ? [...(guess?.advice ?? [])] : [adviceOf(recipe)],
    suggestion: guess === undefined || isReadable ? null : { settings: { ...guess.settings }, needs: [...guess.needs] },
    command,
  };
}

/** What the options say about reading. */
function chosenSettings({
  format,
  encoding,
  delimiter,
  map,
  guid,
  scope,
  sheet,
  files,
  shape,
}: ImportOptions): RecipeSettings {
  const said = { format, encoding, delimiter, map, guid, scope, sheet, files, shape };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}

function together(chosen: RecipeSettings, guessed: RecipeSettings): RecipeSettings {
  return {
    ...chosen,
    ...guessed,
    map: { ...chosen.map, ...guessed.map },
    shape: { ...chosen.shape, ...guessed.shape },
  };
}

function neededBy({ needs }: Recipe, { guid }: ImportOptions): ('guid' | 'identities')[] {
  return needs
    .filter(({ what, optional }) => !optional && !(what === 'guid' && guid !== undefined))
    .map(({ what }) => what);
}

function adviceOf({ name, title }: Recipe): string {
  return `It looks like ${title}: --recipe ${name} reads it, \`rollcall recipes show ${name}\` says how.`;
}

function factsOf(names: readonly string[], rows: readonly InputRow[], format: string | undefined) {
  const cells = rows.map(({ original }) => cellsOf(original, names, format === 'csv'));
  return names.map((name, index) =>
    columnFacts(
      name,
      cells.map((row) => row[index] ?? ''),
    ),
  );
}

/** What a row has in each column, as text. */
function cellsOf(original: string, names: readonly string[], isCsv: boolean): string[] {
  const value: unknown = original === '' ? [] : JSON.parse(original);
  if (isCsv || Array.isArray(value)) return (value as string[]).map(textOf);
  const element = value as Readonly<Record<string, unknown>>;
  return names.map((name) => textOf(element[name]));
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

function missingIn(recognised: Readonly<Record<string, string>>, { guid }: ImportOptions): string[] {
  return ['uid', 'guid'].filter(
    (field) => recognised[field] === undefined && !(field === 'guid' && guid !== undefined),
  );
}
