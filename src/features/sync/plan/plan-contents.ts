import type { PlanTotals } from '../../../api/sync-entry.ts';
import { MEMBERS_WITH_ALL_FEATURES } from '../../../chat/service/limits.ts';
import { manyMembers, messagesSentence } from '../../../membership/outcome-words.ts';
import { CHANGES, countsSentence } from '../../../membership/plan-words.ts';
import { counted, grouped, printable } from '../../../text/wording.ts';
import type { PlanGroup } from '../api.ts';
import type { GroupName, PlanReader } from './plan-reading.ts';
import { changesOf, groupProblem, type PlanCreating, planTotals } from './plan-totals.ts';

/** The counts in a line of the table. */
type Counts = Pick<PlanGroup, 'actions' | 'right'>;

/** The columns of the table. */
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
export interface PlanList {
  /** A heading; undefined: the sentences stand for themselves. */
  readonly title?: string;
  readonly lines: readonly { readonly group?: GroupName; readonly text: string }[];
  /** Word for one of the lines. */
  readonly noun: string;
  /** Nothing is done in these groups. */
  readonly isProblem?: true;
}

/** The contents of a plan, as text and as Markdown say them. Groups with most to do come first, then those with most to report. */
export function contentsOf(plan: PlanReader) {
  const { file, invalid, notes } = plan.facts();
  const groups = plan.groups().toSorted((a, b) => changesOf(b) - changesOf(a) || b.actions.report - a.actions.report);
  const creating = plan.creating();
  const totals = planTotals(groups, creating, invalid);
  const { changes } = totals;
  const isShown = ([head, count]: [string, number]) => count > 0 || !OPTIONAL.includes(head);
  const heads = Object.entries(countsOf(totals))
    .filter(isShown)
    .map(([head]) => head);
  const counts = (of: Counts) => {
    const all: Readonly<Record<string, number>> = countsOf(of);
    return heads.map((head) => (all[head] ? grouped(all[head]) : '·'));
  };
  const listed = groups.filter((group) => groupProblem(group) === '');
  const others = groups.filter((group) => groupProblem(group) !== '');
  const objections = plan.objections();
  const sentences = (texts: readonly string[]) => texts.map((text) => ({ text }));
  const lists: readonly PlanList[] = [
    {
      lines: [
        ...sentences(creation(totals, creating)),
        ...listed.flatMap((group) => (group.creates === undefined ? [] : [{ group, text: newGroup(group) }])),
      ],
      noun: 'group',
    },
    { lines: others.map((group) => ({ group, text: groupProblem(group) })), noun: 'group', isProblem: true },
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
    {
      title: `Held: ${counted(objections.length, 'objection')} of the guards`,
      // Of those in a row with the same remedy, the first names it.
      lines: objections.map(({ what, remedy }, at) => ({
        text: objections[at - 1]?.remedy === remedy ? what : `${what} ${remedy}`,
      })),
      noun: 'objection',
    },
  ];
  return {
    file,
    totals,
    verdict: verdict(totals),
    heads,
    rows: listed.map((group) => ({ group, counts: counts(group) })),
    total: [`total of ${counted(listed.length, 'group')}`, ...counts(totals)],
    lists: lists.filter(({ lines }) => lines.length > 0),
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
