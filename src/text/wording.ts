import { MEMBERS_WITH_ALL_FEATURES } from '../chat/service/limits.ts';
import { OUTCOMES, type Outcome, type RowCounts, sumOfOutcomes } from '../membership/outcome.ts';

/** Labels of the outcomes. */
export const OUTCOME_LABELS: Readonly<Record<Outcome, string>> = {
  added: 'added',
  banned: 'banned',
  already_member: 'already a member',
  failed: 'failed',
  invalid: 'invalid',
  duplicate: 'duplicate',
  unconfirmed: 'unconfirmed',
  unprocessed: 'unprocessed',
  changed: 'changed',
  removed: 'removed',
  unbanned: 'unbanned',
  skipped: 'left out',
};

/**
 * Writes a number with separators: 1234567.25 → "1,234,567.25". (Not by Intl, which takes 14 ms before its first
 * number, in every command.)
 */
export function grouped(value: number): string {
  return String(value).replace(/(?<!\.\d*)\B(?=(\d{3})+(?!\d))/g, ',');
}

/** 1, "row" → "1 row"; 2000, "row" → "2,000 rows"; 2, "batch" → "2 batches". */
export function counted(value: number, noun: string): string {
  return `${grouped(value)} ${noun}${value === 1 ? '' : /(?:s|x|ch|sh)$/.test(noun) ? 'es' : 's'}`;
}

/** A span of milliseconds: "850 ms", "1 s", "12.4 s", "3 min 20 s", "1 h 05 min". */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${Number((ms / 1000).toFixed(1))} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  const minutes = Math.round(seconds / 60);
  return `${grouped(Math.floor(minutes / 60))} h ${two(minutes % 60)} min`;
}

/** A span of milliseconds that is estimated: "less than a second", "about 12 s". */
export function roughly(ms: number): string {
  if (ms < 950) return 'less than a second';
  return ms < 1500 ? 'about a second' : `about ${duration(Math.round(ms / 1000) * 1000)}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** An ISO time or milliseconds since 1970 as "2025-01-31 12:00:00 UTC". */
export function utcTime(time: string | number): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Outcomes worth a line: those with rows, and `added` always, because its absence is news. */
export function outcomesShown(rows: RowCounts): Outcome[] {
  return OUTCOMES.filter((outcome) => outcome === 'added' || rows[outcome] > 0);
}

/**
 * Promise 1 of docs/architecture.md as an equation: "4,212 rows read = 4,100 added + 112 failed"; `pending` rows have no outcome
 * yet. `inputRows`: rows of a file of which a row may give several memberships. Terms hold together by no-break spaces.
 */
export function sumEquation(rows: RowCounts, pending: number, inputRows?: number): string {
  const terms = outcomesShown(rows).map((outcome) => `${grouped(rows[outcome])} ${OUTCOME_LABELS[outcome]}`);
  if (pending > 0) terms.push(`${grouped(pending)} pending`);
  const sign = rows.read === sumOfOutcomes(rows) + pending ? '=' : '≠';
  const sides = [
    inputRows === undefined ? `${counted(rows.read, 'row')} read` : fromRows(rows, inputRows),
    ...terms.map((term, index) => `${index === 0 ? sign : '+'} ${term}`),
  ];
  return sides.map(unbroken).join(' ');
}

/** Returns the phrase about the rows of a shaped input: memberships, and rows that are left out. */
function fromRows({ read, skipped }: RowCounts, inputRows: number): string {
  const left = skipped === 0 ? '' : ` and ${counted(skipped, 'row')} left out`;
  return `${counted(inputRows, 'row')} read, with ${counted(read - skipped, 'membership')}${left}`;
}

/** Returns the sentence about the messages that an import will write, before its first call. Some rows change nothing. */
export function messagesSentence({ messages, groups }: { readonly messages: number; readonly groups: number }): string {
  return `Up to ${counted(messages, 'message')} will be written into ${counted(groups, 'group')}, ${ONE_FOR_EACH}.`;
}

/** The words for what writes a message. */
export const ONE_FOR_EACH = 'one for each change';

/** Returns the messages that an import writes; in how many groups is known of its plan only. */
export function messagesText({
  writes: { messages, groups },
  rows: { added, banned, changed, removed, unbanned },
  finishedAt,
}: {
  readonly writes: { readonly messages: number; readonly groups: number };
  readonly rows: RowCounts;
  readonly finishedAt: string | null;
}): string {
  const planned = `${grouped(messages)} in ${counted(groups, 'group')}`;
  const written = added + banned + changed + removed + unbanned;
  if (finishedAt === null) return `up to ${planned}`;
  return written === messages ? planned : grouped(written);
}

/** The text with no-break spaces. */
export function unbroken(text: string): string {
  return text.replaceAll(' ', '\u00a0');
}

/**
 * Text from a file or a reply with nothing in it that acts on a terminal or turns the direction of writing: control
 * characters become their pictures (ESC → ␛), direction marks their number (`\u{202e}`), line breaks and tabs a blank.
 */
export function printable(text: string): string {
  return printableLines(text.replace(/[\r\n\t]+/g, ' '));
}

/** Text as `printable` makes it, with its lines and tabs. */
export function printableLines(text: string): string {
  return text.replace(/(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029\uFEFF]/gu, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : `\\u{${code.toString(16)}}`;
  });
}

/** A clause, ours or another program's, as a sentence: with a capital and one full stop. */
export function asSentence(text: string): string {
  return withFullStop(`${text.charAt(0).toUpperCase()}${text.slice(1)}`);
}

/** The text with a full stop at its end, which what other programs say has already. */
export function withFullStop(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

/** Returns the text of another program as a part of a sentence. */
export function asClause(text: string): string {
  return text.endsWith('.') ? text.slice(0, -1) : text;
}

/** Options in one line, as the audit log has them, without those that are not given. */
export function inShort(options: object): string {
  return Object.entries(options)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}

/** A file like one that was imported before. @param isWhole whether all of it was compared, and not its beginning only */
export function sameFile(isWhole: boolean): string {
  return isWhole ? 'The same file' : 'A file of this size that begins alike';
}

interface GrownGroup {
  readonly guid: string;
  readonly members: number;
}

/** A note without a full stop. @param example one of these groups */
export function manyMembers(groups: number, { guid, members }: GrownGroup, grows: 'grew' | 'would grow'): string {
  const example = `${groups === 1 ? '' : 'such as '}"${printable(guid)}" to ${grouped(members)}`;
  return `${counted(groups, 'group')} ${grows} beyond ${MEMBERS_WITH_ALL_FEATURES} members, ${example}: the service does not update the conversations and unread counts of larger groups`;
}
