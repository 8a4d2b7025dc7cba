/** Columns that a character takes on a terminal. Rough on purpose: from the East Asian scripts upward two, below one. */
function columnsOf(character: string): number {
  return (character.codePointAt(0) ?? 0) >= 0x2e80 ? 2 : 1;
}

/** The text, or as much of its beginning as fits into `width` columns, with an ellipsis. */
export function cut(text: string, width: number): string {
  let used = 0;
  let fitting = '';
  let whole = '';
  for (const character of text) {
    used += columnsOf(character);
    if (used > width) return `${fitting}…`;
    whole += character;
    if (used < width) fitting = whole;
  }
  return text;
}

/** The text in lines of at most `width` columns, broken at spaces but not at no-break spaces, which become ordinary ones;
 * the lines after the first begin with `indent`. */
export function wrap(text: string, width: number, indent = ''): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = `${indent}${word}`;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((full) => full.replaceAll('\u00a0', ' '));
}
