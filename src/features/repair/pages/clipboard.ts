/** The clipboard format of spreadsheets: lines of cells between tabs. */

/** A cell with a tab or a line break in it stands in quotes. */
const CELL = /"((?:[^"]|"")*)"(?=[\t\n]|$)|[^\t\n]*/y;

/** Lines of cells as a spreadsheet takes them. */
export function copiedText(lines: readonly (readonly string[])[]) {
  const quoted = (cell: string) => (/[\t\n\r"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return lines.map((cells) => cells.map(quoted).join('\t')).join('\n');
}

/** The cells of each line. */
export function pastedLines(text: string): string[][] {
  const rest = text.replace(/\r\n?/g, '\n').replace(/\n$/, '');
  const lines: string[][] = [[]];
  for (let at = 0; at <= rest.length; at = CELL.lastIndex + 1) {
    CELL.lastIndex = at;
    const [plain = '', quoted = ''] = CELL.exec(rest) ?? [];
    lines.at(-1)?.push(/[\t\n]/.test(quoted) ? quoted.replaceAll('""', '"') : plain);
    if (rest[CELL.lastIndex] === '\n') lines.push([]);
  }
  return lines;
}
