import { cut, padEnd, widthOf } from '../../text/terminal-text.ts';
import { type Io, isTerminal } from './io.ts';

/** Prints a table. In a pipe it is as wide as its values: the next program needs them whole. */
export function printTable({ out, width }: Io, head: readonly string[], rows: readonly (readonly string[])[]) {
  out.write(`${drawTable(head, rows, isTerminal(out) ? width : Number.POSITIVE_INFINITY)}\n`);
}

/** Columns in line; numbers to the right; the last column is cut where the terminal ends. */
export function drawTable(head: readonly string[], rows: readonly (readonly string[])[], width: number) {
  const widths = head.map((name, column) => Math.max(...[name, ...rows.map((row) => row[column] ?? '')].map(widthOf)));
  const isNumber = (column: number) => rows.length > 0 && rows.every((row) => /^[\d,]+$/.test(row[column] ?? ''));
  const line = (cells: readonly string[]) =>
    cut(
      cells
        .map((cell, column) =>
          isNumber(column) ? cell.padStart(widths[column] ?? 0) : padEnd(cell, widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
      width,
    );
  return [head, ...rows].map(line).join('\n');
}
