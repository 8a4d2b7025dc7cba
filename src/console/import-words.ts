/** Words for states, outcomes and actions, and the sentences for each. Pure. */

import { FULFILLED, RETRYABLE, sumOfOutcomes } from '../membership/outcome.ts';
import { OUTCOME_LABELS as LABELS } from '../membership/outcome-words.ts';
import { noAnswerSince } from '../text/no-answer.ts';
import { limitWords, REGION_REFUSED, rateLimitWait } from '../text/pace-words.ts';
import { asClause, counted, duration, grouped } from '../text/wording.ts';
import type {
  Action,
  Field,
  FollowUp,
  ImportState,
  ImportView,
  Outcome,
  RegionState,
  RowCounts,
  Tone,
} from './answers.ts';
import { exactTime, timeToTheSecond } from './format.ts';

export const OUTCOME_LABELS: Readonly<Record<Outcome, string>> = {
  ...LABELS,
  already_member: 'already in place',
  unprocessed: 'not sent',
};

/** The outcome of one row: what was already so depends on what it asks for. */
export function outcomeLabel(outcome: Outcome, scope: string) {
  if (outcome !== 'already_member') return OUTCOME_LABELS[outcome];
  return scope === 'ban' ? 'already banned' : 'already a member';
}

/** Rows that are not sent yet are pending while the import goes on. */
export function outcomeNow(status: Outcome | '', over: boolean) {
  return status === 'unprocessed' && !over ? null : status;
}

/** Outcomes of rows that went wrong. */
export const WRONG: readonly Outcome[] = ['failed', 'invalid', 'unconfirmed'];
/** Outcomes that ask for a person once an import is over: before, what is not sent may just be to come. */
export const ATTENTION: readonly Outcome[] = [...WRONG, 'unprocessed'];

export function inPlace(rows: RowCounts) {
  return sumOf(rows, FULFILLED);
}

export function needAttention(rows: RowCounts) {
  return sumOf(rows, ATTENTION);
}

/** Rows that need attention still: not those that were repaired and sent, or that a retry has taken. */
export function leftToDo(view: ImportView) {
  return Math.max(0, needAttention(view.rows) - view.repaired - retriedRows(view));
}

/** The retry that took all rows that could be sent again; undefined where there is none. */
export function completeRetry({ followUps }: ImportView) {
  return followUps.find(({ kind, isPart, state }) => kind === 'retry' && !isPart && state !== 'rejected');
}

function retriedRows(view: ImportView) {
  return completeRetry(view)?.rows?.read ?? 0;
}

export function wentWrong(rows: RowCounts) {
  return sumOf(rows, WRONG);
}

/** Rows that a further import may send again. */
export function retryable(rows: RowCounts) {
  return sumOf(rows, RETRYABLE);
}

function sumOf(rows: RowCounts, outcomes: Iterable<Outcome>) {
  return [...outcomes].reduce((sum, outcome) => sum + rows[outcome], 0);
}

/** Codes of an import that waits because it would create more than it may, or because bans are not known. */
export const CREATE_LIMIT = 'CREATE_LIMIT';
export const BANS_UNKNOWN = 'BANS_UNKNOWN';
/** Many rows: they are read first, and a person agrees to what sending them takes. */
export const AWAITS_AGREEMENT = 'AWAITS_AGREEMENT';

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

/** The word on an import's badge. One that is completed may have left something to do, and says so. */
export function stateLabel(view: ImportView) {
  if (view.state === 'completed' && leftToDo(view) > 0) return 'completed with problems';
  return isWaiting(view) ? 'waiting' : view.state;
}

export function stateTone(view: ImportView) {
  if (view.state === 'completed' && leftToDo(view) > 0) return 'attention';
  return isWaiting(view) ? 'still' : STATE_TONES[view.state];
}

/** Whether other files are read before this one. */
function isWaiting({ state, staging }: ImportView) {
  return state === 'staging' && staging === null;
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

/** Whether a sync made it: such an import has the id of its sync. */
export function isOfSync({ id }: ImportView) {
  return /^(sync|undo)-/.test(id);
}

function readWords({ code, dryRun }: ImportView) {
  if (code === AWAITS_AGREEMENT) return 'checked, and waits for your agreement';
  return dryRun ? 'checked' : 'read';
}

/** Whether a wait ends without a person. */
export function endsByItself(code: string | null | undefined) {
  return ['SERVICE_AWAY', 'DISK_FULL', 'DATABASE_BUSY', 'PROCESS_DIED'].includes(code ?? '');
}

/** The reason as the server says it, and what it means for the rows. */
function blockedSentence({ code, reason }: ImportView, open: number) {
  const means = [open > 0 && waiting(open), endsByItself(code) && 'it continues by itself', 'nothing is lost'].filter(
    (part) => part !== false,
  );
  return `${endsByItself(code) ? 'Waiting' : 'Blocked'}: ${asClause(reason)}; ${means.join('; ')}.`;
}

/** Describes the state of the import and its meaning, in one or two sentences of its own for each state. */
export function stateSentence(view: ImportView): string {
  const { state, rows } = view;
  const open = rows.read - sumOfOutcomes(rows);
  switch (state) {
    case 'staging':
      if (isWaiting(view)) return 'Waiting to be read: files are read one after another. Nothing has been sent yet.';
      return view.staging?.cutting === true
        ? 'The file has been read; its rows are being split into batches. Nothing has been sent yet.'
        : 'The file is being read and checked. Nothing has been sent yet.';
    case 'staged':
      if (view.maxRemovals !== undefined)
        return `The file has been read, and nothing has been sent: ${counted(Number(view.maxRemovals), 'row')} remove or ban members, more than are sent without asking. Look at the rows first.`;
      if (view.checkedRows !== undefined && view.checkedRows.wouldFail > 0) {
        const { canBeSent, wouldFail } = view.checkedRows;
        return `The service was asked: ${grouped(canBeSent)} of ${counted(rows.read, 'row')} can be sent, ${grouped(wouldFail)} would fail. Nothing has been sent.${editedSentence(view)}`;
      }
      return `The file has been ${readWords(view)}: ${counted(open, 'row')} can be sent${
        view.notes?.some(({ code }) => code === 'FIELD_LIMIT') === true
          ? '; those that break a limit of fields only where their user and group exist'
          : ''
      }. ${readWords(view) === 'read' ? 'Sending has not begun.' : 'Nothing has been sent.'}${editedSentence(view)}`;
    case 'running':
      return `${bansSentence(view)}Sending memberships: ${grouped(sumOfOutcomes(rows))} of ${counted(rows.read, 'row')} have an outcome.`;
    case 'pausing':
      return 'Pausing: calls in flight are finishing, no new ones are made.';
    case 'paused':
      if (view.code === 'FIRST_ROWS') return `The first rows have been sent. ${waiting(open)} until you resume.`;
      return `Paused: ${waiting(open)}. Nothing is sent until it is resumed.`;
    case 'blocked':
      return blockedSentence(view, open);
    case 'cancelling':
      return 'Cancelling: calls in flight are finishing, the rest will not be sent.';
    case 'cancelled':
      return `Cancelled: ${grouped(rows.unprocessed)} of ${counted(rows.read, 'row')} ${rows.unprocessed === 1 ? 'was' : 'were'} not sent.`;
    case 'aborted':
      return 'Stopped: more rows went wrong than allowed. Rows that were not sent can be retried.';
    case 'completed':
      return completedSentence(view);
    case 'failed':
      return `Failed: rollcall hit an unexpected error. ${rows.read === 0 ? 'Nothing was sent.' : `${grouped(sumOfOutcomes(rows))} of ${counted(rows.read, 'row')} have an outcome and keep it.`} Resume tries again; cancel ends it.`;
    case 'rejected':
      return 'The file could not be used, and nothing was sent. Fix it and upload it again.';
  }
}

/** Explains what happens to rows that were edited before the others are sent. */
function editedSentence({ edited = 0 }: ImportView) {
  if (edited === 0) return '';
  return ` ${rowsWere(edited)} edited: not sent with the others, but repaired, when this import is over.`;
}

function rowsWere(rows: number) {
  return `${counted(rows, 'row')} ${rows === 1 ? 'was' : 'were'}`;
}

/** Rows that are not sent yet: "1 row waits". */
export function waiting(rows: number) {
  return `${counted(rows, 'row')} ${rows === 1 ? 'waits' : 'wait'}`;
}

function completedSentence(view: ImportView) {
  const { rows, repaired, edited = 0 } = view;
  const good = inPlace(rows);
  if (rows.read === 0) return 'Completed: the file has no rows.';
  if (rows.read === 1 && good === 1) return 'Completed: the only row succeeded.';
  if (good === rows.read) return `Completed: all ${counted(good, 'row')} succeeded.`;
  const attention = leftToDo(view);
  const retried = retriedRows(view);
  const others =
    rows.skipped === 0 ? 'duplicates of these' : rows.duplicate === 0 ? 'left out' : 'left out, or duplicates';
  const rest = [
    repaired > 0 && `${rowsWere(repaired)} repaired and sent`,
    retried > 0 && `${rowsWere(retried)} retried`,
    edited > 0 && `${rowsWere(edited)} edited and not sent yet`,
    attention > 0 && `${counted(attention, 'row')} ${attention === 1 ? 'needs' : 'need'} attention`,
  ].filter((part) => part !== false);
  return `Completed: ${grouped(good)} of ${counted(rows.read, 'row')} succeeded; ${rest.join('; ') || `the others are ${others}`}.`;
}

/** Says what a region does or waits for; '' for nothing. */
export function regionSentence(region: RegionState) {
  const words = regionWords(region);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
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

export function actionLabel(view: ImportView, action: Action) {
  return action === 'retry' ? `Retry ${counted(view.retryable, 'row')}` : ACTION_LABELS[action];
}

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

/** Returns the choices of a field that asks for a column. */
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

/** Describes the wait of rows before they are sent; '' when it is over. */
function bansSentence({ regions }: Pick<ImportView, 'regions'>) {
  let [asked, of] = [0, 0];
  for (const { banQuestions } of Object.values(regions)) {
    asked += banQuestions?.asked ?? 0;
    of += banQuestions?.of ?? 0;
  }
  return asked < of ? `Asking ${counted(of, 'group')} who is banned: ${grouped(asked)} of ${grouped(of)}. ` : '';
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
