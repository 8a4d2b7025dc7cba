import { styleText } from 'node:util';
import type { PlanTotals } from '../../../api/sync-entry.ts';
import { MEMBERS_WITH_ALL_FEATURES } from '../../../chat/service/limits.ts';
import { manyMembers, messagesSentence } from '../../../membership/outcome-words.ts';
import { CHANGES, countsSentence } from '../../../membership/plan-words.ts';
import { cut, drawTable, wrap } from '../../../text/terminal-text.ts';
import { counted, grouped, printable } from '../../../text/wording.ts';
import type { PlanGroup } from '../api.ts';
import type { PlanReader, StoredObjection } from './plan-reading.ts';
import { changesOf, groupProblem, type PlanCreating, planTotals } from './plan-totals.ts';

/** The form in which a plan is written. */
export interface PlanTextOptions {
  readonly color: boolean;
  /** Columns of the terminal. */
  readonly width: number;
  /** Lines of each list before it is cut; 20 by default. */
  readonly shown?: number;
}

type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;
/** The counts in a line of the table. */
type Counts = Pick<PlanGroup, 'actions' | 'right'>;

interface Column {
  readonly head: string;
  readonly value: (counts: Counts) => number;
  /** Whether it is there although it is empty: its absence would be news. */
  readonly always: boolean;
}

const COLUMNS: readonly Column[] = [
  { head: 'add', value: ({ actions }) => actions.add, always: true },
  { head: 'change', value: ({ actions }) => actions.change, always: true },
  { head: 'remove', value: ({ actions }) => actions.remove, always: true },
  { head: 'ban', value: ({ actions }) => actions.ban, always: false },
  { head: 'right', value: ({ right }) => right, always: true },
  { head: 'left alone', value: ({ actions, right }) => actions.keep - right, always: false },
  { head: 'reported', value: ({ actions }) => actions.report, always: true },
];

const NAME_WIDTH = 40;

/** The contents of a plan, as text and as Markdown say them. Groups with most to do come first, then those with most to report. */
export function contentsOf(plan: PlanReader) {
  const { file, invalid, notes } = plan.facts();
  const groups = plan.groups().toSorted((a, b) => changesOf(b) - changesOf(a) || b.actions.report - a.actions.report);
  const creating = plan.creating();
  const totals = planTotals(groups, creating, invalid);
  return {
    file,
    totals,
    verdict: verdict(totals),
    columns: COLUMNS.filter(({ value, always }) => always || value(totals) > 0),
    listed: groups.filter((group) => groupProblem(group) === ''),
    others: groups.filter((group) => groupProblem(group) !== ''),
    creation: creation(totals, creating),
    notes: [...messages(totals), ...growth(groups), ...notes.map(({ text }) => `Note: ${printable(text)}.`)],
  };
}
type Contents = ReturnType<typeof contentsOf>;

/**
 * The plan for a terminal: the totals, a line for each group with most to do, the groups where nothing can be done,
 * and what the guards object to. Long lists are cut and say by how much. No line is wider than `width`.
 */
export function planText(plan: PlanReader, options: PlanTextOptions): string {
  const { width, color, shown = 20 } = options;
  const paint: Paint = (style, text) => (color ? styleText(style, text, { validateStream: false }) : text);
  const objected = plan.objections();
  const contents = contentsOf(plan);
  const { file, listed, others } = contents;
  const fresh = listed.filter(({ creates }) => creates !== undefined);
  const blocks = [
    [
      paint('dim', cut(`plan for ${printable(file)}`, width)),
      ...wrap(contents.verdict, width).map((line) => paint('bold', line)),
    ],
    listed.length === 0 ? [] : table(contents, shown, width, paint),
    [
      ...contents.creation.flatMap((line) => wrap(line, width)),
      ...list(fresh, 'group', shown, (group) => [cut(`${nameOf(group)}: ${newGroup(group)}`, width)]),
    ],
    list(others, 'group', shown, (group) => [
      paint('yellow', cut(`${nameOf(group)}: ${printable(groupProblem(group))}`, width)),
    ]),
    contents.notes.flatMap((line) => wrap(line, width)),
    objected.length === 0
      ? []
      : [
          paint(['bold', 'red'], cut(`Held: ${counted(objected.length, 'objection')} of the guards`, width)),
          ...objections(objected.slice(0, shown), width),
          ...more(objected.length - shown, 'objection'),
        ],
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`;
}

/** Consecutive objections with the same remedy name it once. */
function objections(objected: readonly StoredObjection[], width: number) {
  return objected.flatMap(({ what, remedy }, at) => {
    const [before, after] = [objected[at - 1]?.remedy === remedy, objected[at + 1]?.remedy === remedy];
    const objection = wrap(`- ${printable(before || after ? what : `${what} ${remedy}`)}`, width, '  ');
    return before && !after ? [...objection, ...wrap(remedy, width)] : objection;
  });
}

function verdict({ actions, right, groups, unlisted, invalid = 0 }: PlanTotals) {
  const also = [`${grouped(right)} right`];
  if (actions.report > 0) also.push(`${grouped(actions.report)} reported`);
  if (unlisted > 0) also.push(`nothing done in ${grouped(unlisted)} of ${counted(groups, 'group')}`);
  if (invalid > 0) also.push(`${counted(invalid, 'row')} of the file cannot be used`);
  return `${countsSentence(actions, CHANGES) || 'Nothing to do'}; ${also.join(', ')}.`;
}

/** Says what members will see of the plan. */
function messages({ changes, groups, changedGroups = groups }: PlanTotals) {
  return changes === 0 ? [] : [messagesSentence({ messages: changes, groups: changedGroups })];
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
function creation({ create }: PlanTotals, creating: PlanCreating | undefined) {
  if (create === undefined || creating === undefined) return [];
  const { groups, users, reactivated, calls } = create;
  const some = creating.missing?.first ?? [];
  const names =
    some.length === 0 ? '' : ` (${some.map(printable).join(', ')}${(users ?? 0) > some.length ? ', …' : ''})`;
  const parts = [
    groups > 0 ? counted(groups, 'new group') : '',
    users !== null && users > 0 ? `${counted(users, 'new user')}${names}` : '',
    reactivated !== null && reactivated > 0 ? `${counted(reactivated, 'user')} made active again` : '',
  ].filter((part) => part !== '');
  const later = users === null || reactivated === null;
  const unknown = `Users who are missing are counted while the plan is carried out: it stops before it creates more than ${grouped(creating.limits.users)}.`;
  return [
    ...(parts.length === 0 ? [] : [`Created first: ${parts.join(', ')}; this takes ${counted(calls, 'call')}.`]),
    ...(later ? [unknown] : []),
  ];
}

function newGroup({ creates, actions }: PlanGroup) {
  if (creates === undefined) return '';
  const { name, type, owner } = creates;
  const owned = owner === '' ? '' : `, owned by ${printable(owner)}`;
  return `new, ${type}, named ${JSON.stringify(printable(name))}${owned}, ${counted(actions.add, 'member')}`;
}

function table({ listed, totals, columns }: Contents, shown: number, width: number, paint: Paint) {
  const first = listed.slice(0, shown);
  const counts = (of: Counts) =>
    columns.map(({ value }) => {
      const count = value(of);
      return count === 0 ? '·' : grouped(count);
    });
  const rows = first.map((group) => [nameOf(group), ...counts(group)]);
  const total = [`total of ${counted(listed.length, 'group')}`, ...counts(totals)];
  const [head = '', ...lines] = drawTable(['', ...columns.map(({ head }) => head)], [...rows, total], width).split(
    '\n',
  );
  const last = lines.pop() ?? '';
  return [paint('dim', head), ...lines, ...more(listed.length - first.length, 'group'), paint('bold', last)];
}

function list<Item>(items: readonly Item[], noun: string, shown: number, lines: (item: Item) => readonly string[]) {
  return [...items.slice(0, shown).flatMap(lines), ...more(items.length - shown, noun)];
}

function more(hidden: number, noun: string) {
  return hidden > 0 ? [`… and ${grouped(hidden)} more ${noun}${hidden === 1 ? '' : 's'}`] : [];
}

function nameOf({ guid, region }: PlanGroup) {
  return `${cut(printable(guid), NAME_WIDTH)} (${region})`;
}
