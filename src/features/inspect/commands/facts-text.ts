import type { FileFacts } from '../../../api/file-facts.ts';
import { isWorkbook, nameOfInput } from '../../../options/input-kinds.ts';
import { cut } from '../../../text/terminal-text.ts';
import { counted, grouped, printable } from '../../../text/wording.ts';
import { needText } from '../../recipes/recipe.ts';

/** Descriptions of files without rows, by the code of their refusal: there is nothing in them to explain. */
const WITHOUT_ROWS: Readonly<Record<string, string>> = { EMPTY: 'empty', NO_ROWS: 'no rows' };
const MAX_COLUMNS = 30;

/**
 * Describes a file for people.
 * @param withRefusal includes the reason for a refusal; not if that was printed already
 */
export function factsText(facts: FileFacts, width: number, withRefusal = true): string {
  const paragraphs = [
    [headline(facts), ...facts.notes.map(printable)],
    facts.firstLines.map((line, index) => cut(`${String(index + 1).padStart(4)}  ${printable(line)}`, width)),
    columnLines(facts, width),
    understanding(facts, withRefusal),
  ];
  return `${paragraphs
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** Returns the next steps with the file; indented lines are commands. */
export function nextLines({ advice, command, recipes: [recipe] }: FileFacts): string[] {
  const needs = recipe?.needs.map(needText);
  return [
    ...advice,
    ...(needs ?? []),
    ...(command === null ? [] : ['Check it without sending anything with:', `  ${command} --dry-run`]),
  ];
}

function headline({ name, bytes, format, compression, encoding, delimiter, refusal }: FileFacts) {
  const isBook = isWorkbook(format);
  const parts = [
    format === null ? (WITHOUT_ROWS[refusal?.code ?? ''] ?? 'not understood') : nameOfInput(format),
    ...(compression === null ? [] : [`compressed with ${compression}`]),
    ...(encoding === null || isBook ? [] : [encoding.toUpperCase()]),
    ...(delimiter === null || isBook ? [] : [`delimiter ${delimiter === '\t' ? 'tab' : JSON.stringify(delimiter)}`]),
    ...(bytes === null ? [] : [`${grouped(bytes)} bytes`]),
  ];
  return `${printable(name)}: ${parts.join(', ')}`;
}

function columnLines({ columns, rows }: FileFacts, width: number) {
  if (columns.length === 0) return [];
  const shown = columns.slice(0, MAX_COLUMNS);
  const names = shown.map(({ name }) => cut(printable(name), 30));
  const looks = shown.map(({ looksLike, separator }) => (separator === undefined ? looksLike : `list (${separator})`));
  const widest = (texts: readonly string[], least: number) => Math.max(least, ...texts.map((text) => text.length));
  const [first, second] = [widest(names, 6), widest(looks, 10)];
  const lines = shown.map(({ examples, filled }, index) => {
    const some = filled < rows.seen ? [`(${filled} of ${rows.seen})`] : [];
    const values = examples.length === 0 ? [] : [examples.map(printable).join(' | ')];
    return cut(
      `${(names[index] ?? '').padEnd(first)}  ${(looks[index] ?? '').padEnd(second)}  ${[...values, ...some].join(' ')}`,
      width,
    );
  });
  const more = columns.length - shown.length;
  return [
    `${'column'.padEnd(first)}  ${'looks like'.padEnd(second)}  examples`,
    ...lines,
    ...(more > 0 ? [`and ${counted(more, 'more column')}`] : []),
  ];
}

function understanding({ format, recognised, missing, rows, refusal, recipes }: FileFacts, withRefusal: boolean) {
  // A recipe says what its columns are; a refusal has said what is missing.
  if (recipes.length > 0 || !withRefusal) return [];
  const known = Object.entries(recognised).map(([field, column]) => `${field} from ${JSON.stringify(column)}`);
  return [
    ...(format === null ? [] : [`Understood: ${known.length === 0 ? 'no column' : known.join(', ')}.`]),
    ...(format === null || missing.length === 0 ? [] : [`Missing: ${missing.join(', ')}.`]),
    ...(refusal === null
      ? [`Of the first ${counted(rows.seen, 'row')}, ${grouped(rows.valid)} can be sent as they are.`]
      : []),
    ...(refusal !== null ? [`As it is, an import would be refused: ${printable(refusal.message)}`] : []),
  ];
}
