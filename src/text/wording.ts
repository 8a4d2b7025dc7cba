/** 1234567.25 → "1,234,567.25". (Not by Intl, which takes 14 ms before its first number, in every command.) */
export function grouped(value: number) {
  return String(value).replace(/(?<!\.\d*)\B(?=(\d{3})+(?!\d))/g, ',');
}

/** 1, "row" → "1 row"; 2000, "row" → "2,000 rows"; 2, "batch" → "2 batches". */
export function counted(value: number, noun: string) {
  return `${grouped(value)} ${noun}${value === 1 ? '' : /(?:s|x|ch|sh)$/.test(noun) ? 'es' : 's'}`;
}

/** Returns how much of a whole is done, to follow another text: "  40 %". Empty where the whole is unknown or has nothing in it. */
export function shareText(done: number, of: number | null | undefined) {
  return of ? `  ${Math.floor((done / of) * 100)} %` : '';
}

/** "1,024 KiB  40 %" */
export function sizeSoFar(bytes: number, of: number | undefined) {
  return `${grouped(Math.ceil(bytes / 1024))} KiB${shareText(bytes, of)}`;
}

export function sumOf(numbers: Iterable<number>) {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}

/** "A, B and C". */
export function enumerate(parts: readonly string[], last: 'and' | 'or' = 'and') {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} ${last} ${parts.at(-1)}`;
}

/** A span of milliseconds: "850 ms", "1 s", "12.4 s", "3 min 20 s", "1 h 05 min". */
export function duration(ms: number) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${Number((ms / 1000).toFixed(1))} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  const minutes = Math.round(seconds / 60);
  return `${grouped(Math.floor(minutes / 60))} h ${two(minutes % 60)} min`;
}

/** A span of milliseconds that is estimated: "less than a second", "about 12 s". */
export function roughly(ms: number) {
  if (ms < 950) return 'less than a second';
  return ms < 1500 ? 'about a second' : `about ${duration(Math.round(ms / 1000) * 1000)}`;
}

function two(value: number) {
  return String(value).padStart(2, '0');
}

/** An ISO time or milliseconds since 1970 as "2025-01-31 12:00:00 UTC". */
export function utcTime(time: string | number) {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** A time in ms since 1970 as answers have it. */
export function isoTime(ms: number): string;
export function isoTime(ms: number | null): string | null;
export function isoTime(ms: number | null) {
  return ms === null ? null : new Date(ms).toISOString();
}

export function unbroken(text: string) {
  return text.replaceAll(' ', '\u00a0');
}

/**
 * Text from a file or a reply with nothing in it that acts on a terminal or turns the direction of writing: control
 * characters become their pictures (ESC → ␛), direction marks their number (`\u{202e}`), line breaks and tabs a blank.
 */
export function printable(text: string) {
  return printableLines(text.replace(/[\r\n\t]+/g, ' '));
}

/** Text as `printable` makes it, with its lines and tabs. */
export function printableLines(text: string) {
  return text.replace(/(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029\uFEFF]/gu, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : `\\u{${code.toString(16)}}`;
  });
}

/** A clause, ours or another program's, as a sentence: with a capital and one full stop. */
export function asSentence(text: string) {
  return withFullStop(capitalised(text));
}

export function capitalised(text: string) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The text with a full stop at its end, which what other programs say has already. */
export function withFullStop(text: string) {
  return text.endsWith('.') ? text : `${text}.`;
}

/** Returns the text of another program as a part of a sentence. */
export function asClause(text: string) {
  return text.endsWith('.') ? text.slice(0, -1) : text;
}

/** Options in one line, as the audit log has them, without those that are not given. */
export function inShort(options: object) {
  return Object.entries(options)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}

/** A file like one that was imported before. @param isWhole whether all of it was compared, and not its beginning only */
export function sameFile(isWhole: boolean) {
  return isWhole ? 'The same file' : 'A file of this size that begins alike';
}
