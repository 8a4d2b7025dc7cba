import { styleText } from 'node:util';
import type { PlanTotals } from '../../../api/sync-entry.ts';
import { MEMBERS_WITH_ALL_FEATURES } from '../../../chat/service/limits.ts';
import { type RowCounts, sumOfOutcomes } from '../../../membership/outcome.ts';
import { manyMembers, messagesSentence, sumEquation } from '../../../membership/outcome-words.ts';
import { CHANGES, countsSentence, createdWords, type PlanActionName } from '../../../membership/plan-words.ts';
import { cut, drawTable, wrap } from '../../../text/terminal-text.ts';
import { asSentence, counted, grouped, printable } from '../../../text/wording.ts';
import type { PlanGroup, SyncView } from '../api.ts';
import type { GroupName, PlanReader } from './plan-reading.ts';
import { changesOf, groupProblem, type PlanCreating } from './plan-totals.ts';

type Counts = Pick<PlanGroup, 'actions' | 'right'>;

const countsOf = ({ actions, right }: Counts) => ({
  add: actions.add,
  change: actions.change,
  remove: actions.remove,
  ban: actions.ban,
  right,
  'left alone': actions.keep - right,
  reported: actions.report,
});
/** Those that are there only where they count something: the absence of any other would be news. */
const OPTIONAL = ['ban', 'left alone'];

/** Sentences about a plan, or about one of its groups. */
interface PlanList {
  /** A heading; undefined: the sentences stand for themselves. */
  readonly title?: string;
  readonly lines: readonly { readonly group?: GroupName; readonly text: string }[];
  /** Word for one of the lines. */
  readonly noun: string;
  /** Nothing is done in these groups. */
  readonly isProblem?: true;
}

/** The contents of a plan, as text and as Markdown say them. Groups with most to do come first, then those with most to report. */
function contentsOf(plan: PlanReader) {
  const { file, notes } = plan.facts();
  const groups = plan.groups().toSorted((a, b) => changesOf(b) - changesOf(a) || b.actions.report - a.actions.report);
  const creating = plan.creating();
  const totals = plan.totals(groups);
  const { changes } = totals;
  const heads = Object.entries(countsOf(totals))
    .filter(([head, count]) => count > 0 || !OPTIONAL.includes(head))
    .map(([head]) => head);
  const counts = (of: Counts) => {
    const all: Readonly<Record<string, number>> = countsOf(of);
    return heads.map((head) => (all[head] ? grouped(all[head]) : '·'));
  };
  const problems = groups.map((group) => ({ group, text: groupProblem(group) }));
  const listed = problems.filter(({ text }) => text === '').map(({ group }) => group);
  const objections = plan.objections();
  const sentences = (texts: readonly string[]) => texts.map((text) => ({ text }));
  const lists: readonly PlanList[] = [
    { lines: [...sentences(creation(totals, creating)), ...listed.flatMap(newGroup)], noun: 'group' },
    { lines: problems.filter(({ text }) => text !== ''), noun: 'group', isProblem: true },
    {
      lines: sentences([
        ...(changes === 0
          ? []
          : [messagesSentence({ messages: changes, groups: totals.changedGroups ?? totals.groups })]),
        ...growth(groups),
        ...notes.map(({ text }) => `Note: ${text}.`),
      ]),
      noun: 'note',
    },
  ];
  const held: PlanList = {
    title: `Held: ${counted(objections.length, 'objection')} of the guards`,
    // Of those in a row with the same remedy, the first names it.
    lines: objections.map(({ what, remedy }, at) => ({
      text: objections[at - 1]?.remedy === remedy ? what : `${what} ${remedy}`,
    })),
    noun: 'objection',
  };
  const filled = (all: readonly PlanList[]) => all.filter(({ lines }) => lines.length > 0);
  return {
    file,
    totals,
    verdict: verdict(totals),
    heads,
    rows: listed.map((group) => ({ group, counts: counts(group) })),
    total: [`total of ${counted(listed.length, 'group')}`, ...counts(totals)],
    lists: filled(lists),
    held: filled([held]),
  };
}

function verdict({ actions, right, groups, unlisted, invalid = 0 }: PlanTotals) {
  const also = [`${grouped(right)} right`];
  if (actions.report > 0) also.push(`${grouped(actions.report)} reported`);
  if (unlisted > 0) also.push(`nothing done in ${grouped(unlisted)} of ${counted(groups, 'group')}`);
  if (invalid > 0) also.push(`${counted(invalid, 'row')} of the file cannot be used`);
  return `${countsSentence(actions, CHANGES) || 'Nothing to do'}; ${also.join(', ')}.`;
}

/** A note on groups that the plan takes beyond the size with all features. */
function growth(groups: readonly PlanGroup[]) {
  const after = ({ members, actions }: PlanGroup) => members + actions.add - actions.remove - actions.ban;
  const grown = groups.filter(
    (group) => group.members <= MEMBERS_WITH_ALL_FEATURES && after(group) > MEMBERS_WITH_ALL_FEATURES,
  );
  const [example] = grown;
  if (example === undefined) return [];
  return [`Note: ${manyMembers(grown.length, { guid: example.guid, members: after(example) }, 'would grow')}.`];
}

/** Returns sentences about the creations before users are added; empty if there are none. */
function creation(totals: PlanTotals, creating: PlanCreating | undefined) {
  const { create } = totals;
  const words = createdWords(totals);
  if (create === undefined || creating === undefined || words === '') return [];
  // Those who are missing are not created where users are only made active again.
  const first = create.users ? (creating.missing?.first ?? []) : [];
  const more = (create.users ?? 0) > first.length ? ', …' : '';
  const isOpen = create.users === null || create.reactivated === null;
  return [
    `Created first: ${words}.`,
    ...(first.length === 0 ? [] : [`New users: ${first.map(printable).join(', ')}${more}.`]),
    ...(isOpen ? [`It stops before it creates more than ${counted(creating.limits.users, 'user')}.`] : []),
  ];
}

function newGroup(group: PlanGroup) {
  if (group.creates === undefined) return [];
  const { name, type, owner } = group.creates;
  const owned = owner === '' ? '' : `, owned by ${printable(owner)}`;
  const members = counted(group.actions.add, 'member');
  return [{ group, text: `new, ${type}, named ${JSON.stringify(printable(name))}${owned}, ${members}` }];
}

/** The form in which a plan is written as text. */
export interface PlanTextOptions {
  readonly color: boolean;
  /** Columns of the terminal. */
  readonly width: number;
}

const NAME_WIDTH = 40;
/** Lines of each list before it is cut. */
const SHOWN = 20;

/**
 * The plan for a terminal: the totals, a line for each group with most to do, the groups where nothing can be done,
 * and what the guards object to. Long lists are cut and say by how much. No line is wider than `width`.
 */
export function planText(plan: PlanReader, { width, color }: PlanTextOptions) {
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    color ? styleText(style, text, { validateStream: false }) : text;
  const { file, verdict, heads, rows, total, lists, held } = contentsOf(plan);
  const nameOf = ({ guid, region }: GroupName) => `${cut(printable(guid), NAME_WIDTH)} (${region})`;
  const more = (all: number, noun: string) => (all > SHOWN ? [`… and ${counted(all - SHOWN, `more ${noun}`)}`] : []);
  const table = () => {
    const cells = rows.slice(0, SHOWN).map(({ group, counts }) => [nameOf(group), ...counts]);
    const [head = '', ...lines] = drawTable(['', ...heads], [...cells, total], width).split('\n');
    const last = lines.pop() ?? '';
    return [paint('dim', head), ...lines, ...more(rows.length, 'group'), paint('bold', last)];
  };
  const list = ({ title, lines, noun, isProblem }: PlanList) => [
    ...(title === undefined ? [] : [paint(['bold', 'red'], cut(title, width))]),
    ...lines.slice(0, SHOWN).flatMap(({ group, text }) => {
      if (group === undefined)
        return title === undefined ? wrap(printable(text), width) : wrap(`- ${printable(text)}`, width, '  ');
      const line = cut(`${nameOf(group)}: ${printable(text)}`, width);
      return [isProblem ? paint('yellow', line) : line];
    }),
    ...more(lines.length, noun),
  ];
  const blocks = [
    [
      paint('dim', cut(`plan for ${printable(file)}`, width)),
      ...wrap(verdict, width).map((line) => paint('bold', line)),
    ],
    ...(rows.length === 0 ? [] : [table()]),
    ...[...lists, ...held].map(list),
  ];
  return `${blocks.map((block) => block.join('\n')).join('\n\n')}\n`;
}

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
export function planMarkdown(plan: PlanReader) {
  const { file, totals, verdict, heads, rows, total, lists, held } = contentsOf(plan);
  const nameOf = ({ guid, region }: GroupName) => `${code(guid)} (${region})`;
  const list = ({ title, lines, noun }: PlanList) => {
    const items = lines.map(
      ({ group, text }) => `- ${group === undefined ? '' : `${nameOf(group)}: `}${words(text)}\n`,
    );
    return `${title === undefined ? '' : `#### ${title}\n\n`}${bounded(items, items.length, noun, MAX_LIST_BYTES)}`;
  };
  const cells = rows.map(({ group, counts }) => [nameOf(group), ...counts]);
  const groups = [...tableLines(['group', ...heads], rows.length === 1 ? cells : [total, ...cells], '---:')];
  let text = [
    `### Sync of ${code(file)}\n\n**${words(verdict)}**\n`,
    ...held.map(list),
    ...(rows.length === 0 ? [] : [bounded(groups, groups.length, 'group', MAX_LIST_BYTES)]),
    ...lists.map(list),
  ].join('\n');
  const sections = SECTIONS.filter(([action]) => totals.actions[action] > 0);
  for (const [at, [action, label]] of sections.entries()) {
    const members = plan
      .actions([action])
      .map(({ uid, from, to, sentence, ...group }) => [nameOf(group), code(uid), from, to, words(sentence)]);
    const head = `\n<details><summary>${grouped(totals.actions[action])} ${label}</summary>\n\n`;
    const room = (MAX_BYTES - Buffer.byteLength(text)) / (sections.length - at) - 2 * head.length;
    const lines = tableLines(['group', 'user', 'from', 'to', 'why'], members);
    text += `${head}${bounded(lines, totals.actions[action] + 2, 'user', room)}\n</details>\n`;
  }
  return text;
}

export function resultMarkdown({ id, state, reason }: SyncView, rows?: RowCounts) {
  const equation =
    rows === undefined ? '' : ` ${sumEquation(rows, rows.read - sumOfOutcomes(rows)).replaceAll('\u00a0', ' ')}.`;
  return `\nSync ${code(id)} is **${state}**: ${words(asSentence(reason))}${equation}\n`;
}

/** @param others the alignment of columns behind the first */
function* tableLines(heads: readonly string[], rows: Iterable<readonly string[]>, others = '---') {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  yield line(heads);
  yield line(heads.map((_, at) => (at === 0 ? '---' : others)));
  for (const cells of rows) yield line(cells);
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
