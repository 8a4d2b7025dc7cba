/** Words for states, outcomes and actions, and the sentences for each. Pure. */

import { FULFILLED, sumOfOutcomes } from '../membership/outcome.ts';
import { OUTCOME_LABELS as LABELS } from '../membership/outcome-words.ts';
import { noAnswerSince } from '../text/no-answer.ts';
import { limitWords, REGION_REFUSED, rateLimitWait } from '../text/pace-words.ts';
import { capitalised, counted, duration, grouped } from '../text/wording.ts';
import type { Field, FollowUp, ImportState, ImportView, Outcome, RegionState, RowCounts, Tone } from './answers.ts';
import { exactTime, timeToTheSecond } from './format.ts';

export const OUTCOME_LABELS: Readonly<Record<Outcome, string>> = {
  ...LABELS,
  already_member: 'already in place',
  unprocessed: 'not sent',
};

export function appIn(region: string, appId: string) {
  return `${appId} in ${region}`;
}

/** The outcome of one row: what was already so depends on what it asks for. */
export function outcomeLabel(outcome: Outcome, scope: string) {
  if (outcome !== 'already_member') return OUTCOME_LABELS[outcome];
  return scope === 'ban' ? 'already banned' : 'already a member';
}

/** Rows that are not sent yet are pending while the import goes on. */
export function outcomeNow(status: Outcome | '', over: boolean) {
  return status === 'unprocessed' && !over ? null : status;
}

export const WRONG: readonly Outcome[] = ['failed', 'invalid', 'unconfirmed'];

export function inPlace(rows: RowCounts) {
  return sumOfOutcomes(rows, FULFILLED);
}

/** Choices of the list's filter: name → states. */
export const STATE_GROUPS = {
  'in progress': ['staging', 'staged', 'running', 'pausing', 'paused', 'cancelling'],
  blocked: ['blocked', 'failed'],
  completed: ['completed'],
  'stopped early': ['cancelled', 'aborted', 'rejected'],
};

export const STATE_TONES: Readonly<Record<ImportState, Tone>> = {
  staging: 'busy',
  staged: 'still',
  running: 'busy',
  pausing: 'busy',
  paused: 'still',
  blocked: 'attention',
  cancelling: 'busy',
  cancelled: 'still',
  aborted: 'attention',
  completed: 'good',
  rejected: 'attention',
  failed: 'attention',
};

/** The tone and the word of an import's badge. One that is completed may have left something to do, and says so. */
export function badgeOf({ state, staging, attention }: ImportView): readonly [Tone, string] {
  if (state === 'completed' && attention > 0) return ['attention', 'completed with problems'];
  // Other files are read before it.
  return state === 'staging' && staging === null ? ['still', 'waiting'] : [STATE_TONES[state], state];
}

/** Whether it has only been checked: nothing was sent so far. */
export function isDryRun({ dryRun, startedAt }: ImportView) {
  return dryRun && startedAt === null;
}

/** Whether this undid an import. */
export function isUndone({ kind, state }: FollowUp) {
  return kind === 'undo' && state === 'applied';
}

/** Whether this sync undoes an import. */
export function isUndo({ id }: { id: string }) {
  return id.startsWith('undo-');
}

/** Whether it carries out a sync, whose id it has. */
export function isOfSync({ kind }: ImportView) {
  return kind === 'sync' || kind === 'undo';
}

/** Whether a wait ends without a person. */
export function endsByItself(code: string | null | undefined) {
  return ['SERVICE_AWAY', 'DISK_FULL', 'DATABASE_BUSY', 'PROCESS_DIED'].includes(code ?? '');
}

/** Rows that are not sent yet: "1 row waits". */
export function waiting(rows: number) {
  return `${counted(rows, 'row')} ${rows === 1 ? 'waits' : 'wait'}`;
}

/** Says what a region does or waits for; '' for nothing. */
export function regionSentence(region: RegionState) {
  return capitalised(regionWords(region));
}

function regionWords(region: RegionState) {
  if (region.stopped) return REGION_REFUSED;
  if (region.unanswered !== null) {
    const { state, nextTryAt } = region.circuit;
    const said = noAnswerSince(region.unanswered, timeToTheSecond(region.unanswered.since));
    return `${said}; ${state === 'open' && nextTryAt !== null ? `next try at ${timeToTheSecond(nextTryAt)}` : 'trying now'}`;
  }
  if (region.limitedForMs >= 1000 && region.active === 0) return rateLimitWait(region, exactTime);
  if (region.active > 0) {
    const limit = limitWords(region.pace);
    return `${counted(region.active, 'call')} in flight, ${grouped(region.waiting)} waiting${limit === '' ? '' : `; ${limit}`}`;
  }
  if (region.waiting > 0 && region.workers === 0) return 'waiting for a worker: none is running';
  if (region.waiting > 0) return `${counted(region.waiting, 'call')} waiting`;
  return region.delayed > 0 ? `${counted(region.delayed, 'call')} waiting for a retry` : '';
}

export const ACTION_LABELS = { pause: 'Pause', resume: 'Resume', cancel: 'Cancel…', delete: 'Delete…' };

/** Fields that a column of a file can be, with the label that pages have for them. */
export const FIELDS: readonly (readonly [field: Field, label: string])[] = [
  ['uid', 'User (UID)'],
  ['guid', 'Group (GUID)'],
  ['scope', 'Scope'],
  ['region', 'Region'],
  ['onBehalfOf', 'Acting user'],
  ['joinedAt', 'Joined at'],
  ['until', 'Ends'],
];

/** A column as people know it: cells beyond the header have none of their own. */
export function columnLabel(name: string) {
  if (name === '') return 'column without a name';
  const [, number] = /^_extra_(\d+)$/.exec(name) ?? [];
  return number === undefined ? name : `extra column ${number}`;
}

export function columnChoices(columns: readonly string[]) {
  return columns.map((name) => [name, columnLabel(name)] as const);
}

/** Rewords the problem of a row, which begins with the name of the column. */
export function messageWords(message: string) {
  return message.replace(/^_extra_\d+(?=: )/, columnLabel);
}

/** Time from its start to its end; undefined until then. */
export function took({ startedAt, finishedAt }: Pick<ImportView, 'startedAt' | 'finishedAt'>) {
  if (startedAt === null || finishedAt === null) return undefined;
  return duration(Date.parse(finishedAt) - Date.parse(startedAt));
}

/** The file's name without its folders. */
export function fileName(file: string) {
  return file === '-' ? 'standard input' : (file.split(/[\\/]/).at(-1) ?? file);
}

/** The code of rows that a person left out after a check. */
export const LEFT_OUT = 'LEFT_OUT';

/** Files in which ids are looked up, as a page says it. */
export const LOOKUP_WORDS = {
  identities: {
    one: 'an identity file',
    ids: 'UIDs',
    note: 'If the file has e-mail addresses or employee numbers instead of UIDs: a CSV or JSON file with both, such as the columns email and uid.',
  },
  groups: {
    one: 'a group file',
    ids: 'GUIDs',
    note: 'If the file has codes or names of groups instead of GUIDs: a CSV or JSON file with both, such as the columns code and guid. One code may have several GUIDs; columns scope and region count where it has them.',
  },
} as const;

/** A place that the server allows, with what it reaches if the settings have a name for it: `hr:out (sftp://hr.example.com)`. */
export function placeWords(place: string, namedSources: Readonly<Record<string, string>>) {
  const reached = namedSources[place.slice(0, Math.max(0, place.indexOf(':')))];
  return reached === undefined ? place : `${place} (${reached})`;
}
