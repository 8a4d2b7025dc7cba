import { type RowCounts, sumOfOutcomes } from '../../../membership/outcome.ts';
import { sumEquation } from '../../../membership/outcome-words.ts';
import type { PlanActionName } from '../../../membership/plan-words.ts';
import { cut } from '../../../text/terminal-text.ts';
import { asSentence, counted, grouped, printable } from '../../../text/wording.ts';
import type { PlanGroup, SyncView } from '../api.ts';
import type { PlanReader } from './plan-reading.ts';
import { contentsOf } from './plan-text.ts';
import { groupProblem } from './plan-totals.ts';

/** Bytes of the plan, which leave room for the result, and of its lists before the members. GitHub takes comments of 65,536 characters. */
const MAX_BYTES = 57_000;
const MAX_LIST_BYTES = 12_000;
const MAX_ID_LENGTH = 80;
const MAX_SENTENCE_LENGTH = 600;

/** Actions that take something away come first: there may not be room for everyone. */
const SECTIONS: readonly (readonly [PlanActionName, string])[] = [
  ['remove', 'to remove'],
  ['ban', 'to ban'],
  ['change', 'to change'],
  ['add', 'to add'],
  ['report', 'reported, and left as they are'],
];

/**
 * The plan as a comment on a pull request, of less than 60,000 bytes: the totals, the objections of the guards, a line for
 * each group and for each member, in folded lists that are cut and say by how much.
 */
export function planMarkdown(plan: PlanReader): string {
  const findings = plan.findings();
  const { file, totals, verdict, columns, listed, others, creation, notes } = contentsOf(plan);
  const counts = (of: Pick<PlanGroup, 'actions' | 'right'>) => columns.map(({ value }) => grouped(value(of)));

  const blocks = [
    `### Sync of ${code(file)}\n\n**${words(verdict)}**\n`,
    findings.length === 0
      ? ''
      : `#### Held: ${counted(findings.length, 'objection')} of the guards\n\n${list(
          findings.map(({ sentence }) => `- ${words(sentence)}\n`),
          'objection',
        )}`,
    listed.length === 0
      ? ''
      : list(
          [
            line(['group', ...columns.map(({ head }) => head)]),
            line(['---', ...columns.map(() => '---:')]),
            ...(listed.length === 1 ? [] : [line([`all ${grouped(listed.length)} groups`, ...counts(totals)])]),
            ...listed.map((group) => line([nameOf(group), ...counts(group)])),
          ],
          'group',
        ),
    list(
      [...creation, ...notes].map((sentence) => `- ${words(sentence)}\n`),
      'note',
    ),
    list(
      others.map((group) => `- ${nameOf(group)}: ${words(groupProblem(group))}\n`),
      'group',
    ),
  ].filter((block) => block !== '');

  const sections = SECTIONS.filter(([action]) => totals.actions[action] > 0);
  let text = blocks.join('\n');
  for (const [at, [action, label]] of sections.entries()) {
    const members = plan
      .actions([action])
      .map(({ uid, from, to, sentence, ...group }) => line([nameOf(group), code(uid), from, to, words(sentence)]));
    const head = `\n<details><summary>${grouped(totals.actions[action])} ${label}</summary>\n\n`;
    const room = (MAX_BYTES - Buffer.byteLength(text)) / (sections.length - at) - 2 * head.length;
    text += `${head}${bounded(table(members), totals.actions[action] + 2, 'user', room)}\n</details>\n`;
  }
  return text;
}

/** Describes the result of a sync. @param rows of the import that carries it out */
export function resultMarkdown(
  { id, state, reason }: Pick<SyncView, 'id' | 'state' | 'reason'>,
  rows?: RowCounts,
): string {
  const equation =
    rows === undefined ? '' : ` ${sumEquation(rows, rows.read - sumOfOutcomes(rows)).replaceAll('\u00a0', ' ')}.`;
  return `\nSync ${code(id)} is **${state}**: ${words(asSentence(reason))}${equation}\n`;
}

function* table(members: Iterable<string>): Generator<string> {
  yield line(['group', 'user', 'from', 'to', 'why']);
  yield line(['---', '---', '---', '---', '---']);
  yield* members;
}

function list(lines: readonly string[], noun: string) {
  return bounded(lines, lines.length, noun, MAX_LIST_BYTES);
}

/** Returns as many of the lines as fit. */
function bounded(lines: Iterable<string>, all: number, noun: string, room: number) {
  let text = '';
  let taken = 0;
  let bytes = 100;
  for (const one of lines) {
    bytes += Buffer.byteLength(one);
    if (bytes > room) break;
    text += one;
    taken++;
  }
  return taken < all ? `${text}\n… and ${counted(all - taken, `more ${noun}`)}\n` : text;
}

function nameOf({ guid, region }: Pick<PlanGroup, 'guid' | 'region'>) {
  return `${code(guid)} (${region})`;
}

function line(cells: readonly string[]) {
  return `| ${cells.join(' | ')} |\n`;
}

/** An id in a code span: nothing in it is read as Markdown, HTML, or the name of a person to notify. */
function code(id: string) {
  const text = cut(printable(id), MAX_ID_LENGTH).replaceAll('|', '\\|');
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}

/** A sentence that may name what is in the file. */
function words(sentence: string) {
  return cut(printable(sentence), MAX_SENTENCE_LENGTH)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('@', '@\u200b')
    .replace(/[\\`*_[\]|~]/g, '\\$&');
}
