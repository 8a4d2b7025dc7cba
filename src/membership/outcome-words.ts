import { MEMBERS_WITH_ALL_FEATURES } from '../chat/service/limits.ts';
import { counted, grouped, printable, roughly, unbroken } from '../text/wording.ts';
import { type ImportState, isFinal } from './import-state.ts';
import { OUTCOMES, type Outcome, type RowCounts, sumOfOutcomes } from './outcome.ts';

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

/** Outcomes worth a line: those with rows, and `added` always, because its absence is news. */
export function outcomesShown(rows: RowCounts): Outcome[] {
  return OUTCOMES.filter((outcome) => outcome === 'added' || rows[outcome] > 0);
}

/** Problems of rows that have their final outcome: until the import is over, those that were not sent count as pending. */
export function problemsShown<P extends { readonly status: Outcome }>(problems: readonly P[], state: ImportState): P[] {
  return problems.filter(({ status }) => status !== 'unprocessed' || isFinal(state));
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
function fromRows({ read, skipped }: RowCounts, inputRows: number) {
  const left = skipped === 0 ? '' : ` and ${counted(skipped, 'row')} left out`;
  return `${counted(inputRows, 'row')} read, with ${counted(read - skipped, 'membership')}${left}`;
}

/** Returns the sentence about the messages that an import will write, before its first call. Some rows change nothing. */
export function messagesSentence({ messages, groups }: { readonly messages: number; readonly groups: number }): string {
  return `Up to ${counted(messages, 'message')} will be written into ${counted(groups, 'group')}, ${ONE_FOR_EACH}.`;
}

/** Messages and calls of both ways to add members, with the calls a minute of each. */
interface LimitedWays {
  readonly added: { readonly messages: number; readonly calls: number; readonly callsPerMinute: number };
  readonly silent: { readonly calls: number; readonly callsPerMinute: number };
}

/** Returns what adding members takes by each of its two ways. @param groups into which messages are written; 0: not known */
export function waysSentences({ added, silent }: LimitedWays, groups = 0): string {
  const taking = ({ calls, callsPerMinute }: LimitedWays['silent']) =>
    `at least ${counted(calls, 'call')}, ${roughly((calls * 60_000) / callsPerMinute)} at ${grouped(callsPerMinute)} a minute`;
  const into = groups === 0 ? '' : ` into ${counted(groups, 'group')}`;
  return `Added, these rows write up to ${counted(added.messages, 'message')}${into}, ${ONE_FOR_EACH}, and take ${taking(added)}. In silence they write none and take ${taking(silent)}.`;
}

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

interface GrownGroup {
  readonly guid: string;
  readonly members: number;
}

/** A note without a full stop. @param example one of these groups */
export function manyMembers(groups: number, { guid, members }: GrownGroup, grows: 'grew' | 'would grow'): string {
  const example = `${groups === 1 ? '' : 'such as '}"${printable(guid)}" to ${grouped(members)}`;
  return `${counted(groups, 'group')} ${grows} beyond ${MEMBERS_WITH_ALL_FEATURES} members, ${example}: the service does not update the conversations and unread counts of larger groups`;
}

/** A note without a full stop. @param rows rows that add an admin or a moderator who is a member already */
export function keptScopes(rows: number): string {
  const what =
    rows === 1
      ? 'row asks for an admin or moderator who was a member'
      : 'rows ask for admins or moderators who were members';
  return `${grouped(rows)} ${what} already: an import does not change the scope of a member, \`rollcall sync\` does`;
}

interface Examples {
  readonly count: number;
  readonly examined?: number | undefined;
  readonly examples: readonly {
    readonly line: number;
    readonly value: string;
    readonly message: string;
    readonly rows?: number | undefined;
  }[];
}

/**
 * Examples of a problem: a row with its value and message, then how many values are like which, or further rows.
 * @param most longest piece of a value that is shown, in characters
 */
export function exampleWords({ count, examined, examples }: Examples, most = 160): string[] {
  const quoted = (value: string) =>
    value.length > most ? `“${printable([...value].slice(0, most).join(''))}…”` : `“${printable(value)}”`;
  const rowText = ({ line, value }: Pick<Examples['examples'][number], 'line' | 'value'>) =>
    value === '' ? `row ${line}` : `row ${line} ${quoted(value)}`;
  const [first, ...others] = examples;
  if (first === undefined) return [];
  const example = first.message === '' ? rowText(first) : `${rowText(first)}: ${printable(first.message)}`;
  if (first.rows === undefined)
    return others.length === 0 ? [example] : [example, `Also ${others.map(rowText).join(', ')}`];
  const shapes = examples.map(({ rows = 0, value, line }, at) => {
    const like = value === '' ? 'empty' : `like ${at === 0 ? 'this' : quoted(value)}`;
    return `${grouped(rows)} ${like}${at === 0 ? '' : ` (row ${line})`}`;
  });
  const left = examples.reduce((rest, { rows = 0 }) => rest - rows, examined ?? count);
  if (left > 0) shapes.push(left === 1 ? '1 other' : `${grouped(left)} others`);
  return [example, `${examined === undefined ? '' : `Of the first ${grouped(examined)}: `}${shapes.join(', ')}`];
}

/** Users and groups that an import has created, and users whom it has made active. */
type Created = Readonly<Record<'users' | 'groups' | 'reactivated', number>>;

/** "1 group and 2 users"; empty where there are none. */
export function madeText({ users, groups }: Pick<Created, 'users' | 'groups'>): string {
  const made = [groups > 0 && counted(groups, 'group'), users > 0 && counted(users, 'user')];
  return made.filter((part) => part !== false).join(' and ');
}

/** "1 group and 2 users created; 3 users made active again" */
export function createdText(created: Created): string {
  const made = madeText(created);
  const parts = [
    made !== '' && `${made} created`,
    created.reactivated > 0 && `${counted(created.reactivated, 'user')} made active again`,
  ];
  return parts.filter((part) => part !== false).join('; ');
}
