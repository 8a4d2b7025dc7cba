import { drawTable } from '../../text/terminal-text.ts';
import { type Io, isTerminal } from './io.ts';

/** Prints a table. In a pipe it is as wide as its values: the next program needs them whole. */
export function printTable({ out, width }: Io, head: readonly string[], rows: readonly (readonly string[])[]) {
  out.write(`${drawTable(head, rows, isTerminal(out) ? width : Number.POSITIVE_INFINITY)}\n`);
}
