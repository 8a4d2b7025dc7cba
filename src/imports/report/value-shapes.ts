import type { Statements } from '../../platform/sqlite.ts';

/** More invalid rows than these are not compared: ten times as many would take a second. */
const MAX_EXAMINED = 100_000;
const MAX_SHAPES = 3;

interface Shape {
  /** The first row that has it. */
  readonly row: number;
  rows: number;
}

/** The most frequent shapes of a problem's values. */
interface FoundShapes {
  /** Rows of the problem that were compared. */
  readonly examined: number;
  readonly shapes: readonly Shape[];
}

/**
 * Compares the values of the first invalid rows, and returns what was found for a problem: undefined where its values
 * have one shape. A shape is a value with one sign for each run of letters and of digits.
 */
export function valueShapes(sql: Statements): (code: string, column: string) => FoundShapes | undefined {
  const problems = new Map<string, Map<string, Shape>>();
  const keyOf = (code: string, column: string) => `${code} ${column}`;
  const invalid = sql<{ row: number; code: string; place: string; value: string }>('first_invalid');
  for (const { row, code, place, value } of invalid.iterate({ limit: MAX_EXAMINED })) {
    const key = keyOf(code, place);
    const shapes = problems.get(key) ?? new Map<string, Shape>();
    problems.set(key, shapes);
    const text = value.replace(/[\p{L}\p{M}]+/gu, 'a').replace(/\p{N}+/gu, '0');
    const shape = shapes.get(text);
    if (shape === undefined) shapes.set(text, { row, rows: 1 });
    else shape.rows += 1;
  }
  return (code, column) => {
    const all = [...(problems.get(keyOf(code, column))?.values() ?? [])];
    if (all.length < 2) return undefined;
    const examined = all.reduce((sum, { rows }) => sum + rows, 0);
    return { examined, shapes: all.toSorted((a, b) => b.rows - a.rows).slice(0, MAX_SHAPES) };
  };
}
