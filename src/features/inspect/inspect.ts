import type { FileFacts } from '../../api/look.ts';
import { option, type WriteOption, words, written } from '../../errors/named-options.ts';
import type { ImportOptions } from '../../imports/import-options.ts';
import { type Head, lookAt, NOT_READ, type ReadBeginning } from '../../imports/read/beginning.ts';
import type { IntakeSource } from '../../imports/read/byte-source.ts';
import { cellsOf, DELIMITERS } from '../../imports/read/detect.ts';
import type { InputRow } from '../../imports/read/input-row.ts';
import { listed } from '../../imports/read/intake-error.ts';
import type { LookupName } from '../../options/lookups.ts';
import { defined } from '../../platform/defined.ts';
import { fitting, type Recipe, type RecipeSettings, seenIn } from '../recipes/recipe.ts';
import { type ColumnFacts, columnFacts, elementColumns, isSecret, isValue, withoutSecrets } from './column-facts.ts';
import { joined, optionOf, suggest } from './suggestion.ts';
import { commandFor, type Typed } from './typed-import.ts';

/** Rows that are looked at. */
const ROWS = 200;
/** Columns that are described; a wide table has hundreds that are alike. */
const MAX_COLUMNS = 100;

interface InspectOptions extends Typed {
  readonly bytes?: number | undefined;
  readonly head: Head;
  /** Only the beginning of a longer file is there. */
  readonly isCut?: boolean;
  /** Opens the file; it is read several times, each time as far as its first rows. */
  readonly open: () => IntakeSource;
  readonly options: ImportOptions;
  readonly recipes: readonly Recipe[];
  /** Writes the options that advice names. */
  readonly write: WriteOption;
}

/** Inspects a file without importing it: what it is, how it would be read, and which options it needs. */
export async function inspect(inspected: InspectOptions): Promise<FileFacts> {
  const { name, bytes, head, isCut = false, open, options, recipes } = inspected;
  const lookWith = async (lenient: boolean) => {
    const { refusal, ...seen } = await lookAt(open(), { ...options, lenient, lookups: NOT_READ(options) }, ROWS);
    // An error where the beginning is cut off says nothing about the file.
    return { ...seen, refusal: isCut && seen.rows.length > 0 ? undefined : refusal };
  };
  const look = await lookWith(true);
  const fits = fitting(recipes, seenIn(look, head));
  const strict = await lookWith(false);
  const headerRow = fits.length > 0 ? undefined : headerRowFor(look, head, options);
  if (headerRow !== undefined) {
    const shape = { headerRow };
    const below = await inspect({ ...inspected, options: { ...options, shape: { ...options.shape, ...shape } } });
    const advice = words`The header is in row ${String(headerRow)}, it seems: ${optionOf(shape)} skips the rows above it.`;
    const first = { text: written(advice, inspected.write), settings: { shape } };
    return { ...below, refusal: refusalOf(strict, look), steps: [first, ...below.steps] };
  }
  const columns = factsOf(look.names, look.rows, look.format).slice(0, MAX_COLUMNS);
  const secret = columns.filter(isSecret).map((column) => column.name);
  const { steps, command } = nextFor(inspected, look, strict, columns, fits[0]);
  return {
    name,
    bytes: bytes ?? null,
    format: look.kind ?? null,
    compression: head.compression ?? null,
    encoding: look.encoding ?? null,
    delimiter: look.delimiter ?? null,
    sheets: look.sheets.map(({ name: sheet, isVisible }) => ({ name: sheet, isVisible })),
    notes: [
      ...look.notes.map(({ text }) => text),
      ...(secret.length === 0 ? [] : [`Not shown: the values of ${listed(secret)}`]),
    ],
    firstLines: withoutSecrets(head.firstLines, secret.length > 0, look.format === 'csv' ? topLines(options) : 0),
    columns: columns.map((column) => shownFacts(column, secret.includes(column.name))),
    recognised: look.recognised,
    missing: missingFields(look.recognised, options),
    rows: { seen: look.rows.length, valid: strict.rows.filter(({ problems }) => problems.length === 0).length },
    refusal: refusalOf(strict, look),
    recipes: fits.map((one) => ({ name: one.name, title: one.title, needs: one.needs })),
    steps,
    command,
  };
}

function nextFor(
  inspected: InspectOptions,
  look: ReadBeginning,
  strict: ReadBeginning,
  columns: readonly ColumnFacts[],
  recipe: Recipe | undefined,
) {
  const { options, write } = inspected;
  const { format, encoding, delimiter, map, guid, scope, sheet, files, shape } = options;
  const chosen: RecipeSettings = defined({ format, encoding, delimiter, map, guid, scope, sheet, files, shape });
  const nothing = { steps: [], command: null };
  // A page is one with any option.
  if (strict.refusal?.code === 'MORE_PAGES') return nothing;
  if (recipe !== undefined) {
    const needs = neededBy(recipe, options, columns);
    const advice = words`It looks like ${recipe.title}: ${option('recipe', recipe.name)} reads it, \`rollcall recipes show ${recipe.name}\` says how.`;
    const command = commandFor(inspected, { ...chosen, recipe: recipe.name }, needs);
    return { steps: [{ text: written(advice, write) }], command };
  }
  if (look.format === undefined) return nothing;
  const steps = suggest(columns, look, options);
  // A command without the addition is right where the step says what else would do.
  const needs = steps.flatMap(({ needs: own = [], open }) => (open === undefined ? own : []));
  const addsNothing = Object.keys(joined({}, steps)).length + needs.length === 0;
  // With nothing to add it is the command that was refused.
  const isRefused = strict.refusal !== undefined && addsNothing;
  const command = isRefused ? null : commandFor(inspected, joined(chosen, steps), needs);
  const said = steps.map(({ text = '', open, ...step }) => ({
    ...step,
    text: written(text, write),
    isOpen: open !== undefined,
  }));
  return { steps: said, command };
}

/** Returns the header row of a table that begins further down; undefined if the options set its beginning. */
function headerRowFor({ format, names, rows, recognised }: ReadBeginning, { text }: Head, { shape }: ImportOptions) {
  if (format !== 'csv' || recognised['uid'] !== undefined) return undefined;
  if ((shape?.headerRow ?? shape?.skipLines ?? shape?.columns) !== undefined) return undefined;
  const hasNoDelimiter = names.filter((name) => !name.startsWith('_extra_')).length === 1;
  const line = hasNoDelimiter ? headerLineOf(text.split(/\r\n|\n|\r/)) : undefined;
  return line ?? headerRowOf(names, rows);
}

/** Lines at the top without values: the header, and what is above it. */
function topLines({ shape }: ImportOptions) {
  if (shape?.columns !== undefined) return shape.skipLines ?? 0;
  return shape?.headerRow ?? (shape?.skipLines ?? 0) + 1;
}

function refusalOf(strict: ReadBeginning, look: ReadBeginning) {
  const refusal = strict.refusal ?? look.refusal;
  return refusal === undefined ? null : { code: refusal.code, message: refusal.message };
}

/** Kinds of columns whose values are words with a meaning. */
const OF_WORDS: ReadonlySet<string> = new Set(['scope', 'status', 'mark']);

function shownFacts({ few, cells: _cells, isList: _isList, ...rest }: ColumnFacts, isHidden: boolean) {
  const hasWords = few.size > 0 && !isHidden && OF_WORDS.has(rest.looksLike);
  return { ...rest, examples: isHidden ? [] : rest.examples, ...(hasWords && { words: Object.fromEntries(few) }) };
}

/** Returns the needs of the recipe, and the identity file if users are e-mail addresses. */
function neededBy(
  { needs, settings: { map, shape } }: Recipe,
  { guid, shape: own }: ImportOptions,
  columns: readonly ColumnFacts[],
): ('guid' | LookupName)[] {
  const users = new Set([map?.uid, ...(shape?.firstOf?.uid ?? [])]);
  const areEmails = columns.some(({ name, looksLike }) => looksLike === 'email' && users.has(name));
  return needs
    .filter(({ what, optional }) => {
      if (what === 'guid') return guid === undefined && optional !== true;
      if (what === 'groups') return guid === undefined && optional !== true && own?.templates?.guid === undefined;
      return (areEmails || optional !== true) && own?.templates?.uid === undefined;
    })
    .map(({ what }) => what);
}

function factsOf(names: readonly string[], rows: readonly InputRow[], format: string | undefined) {
  // The first of several memberships of a row has the original of all.
  const originals = rows.flatMap(({ original }): unknown[] => (original === '' ? [] : [JSON.parse(original)]));
  if (format !== 'csv') {
    return [...elementColumns(originals)].map(([name, { values, inList }]) => columnFacts(name, values, inList));
  }
  const cells = originals as string[][];
  return names.slice(0, MAX_COLUMNS).map((name, index) => {
    const values = cells.map((row) => (row[index] ?? '').trim());
    return { ...columnFacts(name, values), cells: values };
  });
}

/** Fields of a membership that neither a column nor an option gives. */
export function missingFields(
  recognised: Readonly<Record<string, string>>,
  { guid }: ImportOptions,
): ('uid' | 'guid')[] {
  return (['uid', 'guid'] as const).filter(
    (field) => recognised[field] === undefined && (field === 'uid' || guid === undefined),
  );
}

/** Rows that may be above a table: a title, a date, an address. */
const MAX_ABOVE = 30;
/** Share of the columns that a header names. */
const MIN_SHARE = 0.8;

/**
 * The row that looks like the header of a table which does not begin in the first row: the first one that is about as wide
 * as the widest, with texts that are not values. Undefined where the first row may well be the header.
 */
function headerRowOf(names: readonly string[], rows: readonly InputRow[]) {
  const named = names.filter((name) => name.trim() !== '' && !/^_extra_\d+$/.test(name)).length;
  const tables = rows.slice(0, MAX_ABOVE).map(({ line, original }) => {
    const cells = (original === '' ? [] : JSON.parse(original)) as string[];
    return { line, cells: cells.map((cell) => cell.trim()).filter((cell) => cell !== '') };
  });
  const widest = Math.max(0, ...tables.map(({ cells }) => cells.length));
  if (widest < 2 || named > widest / 2) return undefined;
  const header = tables.find(({ cells }) => cells.length >= widest * MIN_SHARE && isHeader(cells));
  return header === undefined || header === tables.at(-1) ? undefined : header.line;
}

/**
 * The same for a text whose first line has no delimiter, so that all of it would be one column: the line above most cells of
 * rows that are as wide as it.
 */
function headerLineOf(lines: readonly string[]) {
  const found = DELIMITERS.flatMap((delimiter) => {
    const rows = lines.map((line, index) => ({ line: index + 1, cells: cellsOf(line, delimiter) }));
    return rows.slice(1, MAX_ABOVE).flatMap(({ line, cells }) => {
      const below = rows.slice(line);
      const end = below.findIndex((row) => row.cells.length !== cells.length);
      const alike = end === -1 ? below.length : end;
      return cells.length > 1 && alike > 0 && isHeader(cells) ? [{ line, filled: alike * cells.length }] : [];
    });
  });
  return found.toSorted((a, b) => b.filled - a.filled || a.line - b.line)[0]?.line;
}

function isHeader(cells: readonly string[]) {
  return new Set(cells).size === cells.length && !cells.some(isValue);
}
