/** How people read states, outcomes and actions, and the sentences for each. Pure. */
import { counted, grouped, timeToTheSecond } from './format.js';

/** @import { Action, Field, FollowUp, ImportState, ImportView, Outcome, RegionState, RowCounts } from './answers.d.ts' */

/** @type {readonly Outcome[]} */
export const OUTCOMES = [
  'added',
  'banned',
  'already_member',
  'failed',
  'invalid',
  'duplicate',
  'unconfirmed',
  'unprocessed',
  'changed',
  'removed',
  'unbanned',
  'skipped',
];

/** @type {Readonly<Record<Outcome, string>>} */
export const OUTCOME_LABELS = {
  added: 'added',
  banned: 'banned',
  already_member: 'already in place',
  failed: 'failed',
  invalid: 'invalid',
  duplicate: 'duplicate',
  unconfirmed: 'unconfirmed',
  unprocessed: 'not sent',
  changed: 'changed',
  removed: 'removed',
  unbanned: 'unbanned',
  skipped: 'left out',
};

/**
 * The outcome of one row: what was already so depends on what it asks for.
 * @param {Outcome} outcome
 * @param {string} scope
 */
export function outcomeLabel(outcome, scope) {
  if (outcome !== 'already_member') return OUTCOME_LABELS[outcome];
  return scope === 'ban' ? 'already banned' : 'already a member';
}

/** Outcomes with which a row has what it asked for. @type {readonly Outcome[]} */
const IN_PLACE = ['added', 'banned', 'already_member', 'changed', 'removed', 'unbanned'];
/** Outcomes of rows that went wrong. @type {readonly Outcome[]} */
export const WRONG = ['failed', 'invalid', 'unconfirmed'];
/** Outcomes that ask for a person once an import is over: before, what is not sent may just be to come. @type {readonly Outcome[]} */
export const ATTENTION = [...WRONG, 'unprocessed'];

/** @param {RowCounts} rows */
export function inPlace(rows) {
  return sumOf(rows, IN_PLACE);
}

/** Rows that have an outcome. @param {RowCounts} rows */
export function settled(rows) {
  return sumOf(rows, OUTCOMES);
}

/** @param {RowCounts} rows */
export function needAttention(rows) {
  return sumOf(rows, ATTENTION);
}

/** Rows that need attention still: not those that were repaired and sent. @param {ImportView} view */
export function leftToDo({ rows, repaired }) {
  return Math.max(0, needAttention(rows) - repaired);
}

/** @param {RowCounts} rows */
export function wentWrong(rows) {
  return sumOf(rows, WRONG);
}

/** Outcomes of rows that a further import may send again. @type {readonly Outcome[]} */
export const RETRYABLE = ['failed', 'unconfirmed', 'unprocessed'];

/** @param {RowCounts} rows */
export function retryable(rows) {
  return sumOf(rows, RETRYABLE);
}

/**
 * @param {RowCounts} rows
 * @param {readonly Outcome[]} outcomes
 */
function sumOf(rows, outcomes) {
  return outcomes.reduce((sum, outcome) => sum + rows[outcome], 0);
}

/** Why an import waits that would create more than it may. */
export const CREATE_LIMIT = 'CREATE_LIMIT';
export const BANS_UNKNOWN = 'BANS_UNKNOWN';

/** What the list's filter offers: name → states. */
export const STATE_GROUPS = {
  'in progress': ['staging', 'staged', 'running', 'pausing', 'paused', 'cancelling'],
  blocked: ['blocked', 'failed'],
  completed: ['completed'],
  'stopped early': ['cancelled', 'aborted', 'rejected'],
};

/** Tone of a state's badge. @type {Readonly<Record<ImportState, 'busy' | 'still' | 'good' | 'attention'>>} */
export const STATE_TONES = {
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

/**
 * The word on an import's badge. One that is completed may have left something to do, and says so.
 * @param {ImportView} view
 */
export function stateLabel(view) {
  if (view.state === 'completed' && leftToDo(view) > 0) return 'completed with problems';
  return isWaiting(view) ? 'waiting' : view.state;
}

/** @param {ImportView} view */
export function stateTone(view) {
  if (view.state === 'completed' && leftToDo(view) > 0) return 'attention';
  return isWaiting(view) ? 'still' : STATE_TONES[view.state];
}

/** Whether other files are read before this one. @param {ImportView} view */
function isWaiting({ state, staging }) {
  return state === 'staging' && staging === null;
}

/** Whether it has only been checked: nothing was sent so far. @param {ImportView} view */
export function isDryRun({ dryRun, startedAt }) {
  return dryRun && startedAt === null;
}

/** Whether this undid an import. @param {FollowUp} followUp */
export function isUndone({ kind, state }) {
  return kind === 'undo' && state === 'applied';
}

/** Whether this sync undoes an import. @param {{ id: string }} sync */
export function isUndo({ id }) {
  return id.startsWith('undo-');
}

/** Whether a sync made it: such an import has the id of its sync. @param {ImportView} view */
export function isOfSync({ id }) {
  return /^(sync|undo)-/.test(id);
}

/**
 * Where the import stands and what that means, in one or two sentences of its own for each state.
 * @param {ImportView} view
 * @returns {string}
 */
export function stateSentence(view) {
  const { state, rows } = view;
  const open = rows.read - settled(rows);
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
        return `The service was asked: ${grouped(canBeSent)} of ${counted(rows.read, 'row')} can be sent, ${grouped(wouldFail)} would fail. Nothing has been sent.`;
      }
      return view.dryRun
        ? `The file has been checked: ${counted(open, 'row')} can be sent. Nothing has been sent.`
        : `The file has been read: ${counted(open, 'row')} can be sent. Sending has not begun.`;
    case 'running':
      return `${bansSentence(view)}Sending memberships: ${grouped(settled(rows))} of ${counted(rows.read, 'row')} have an outcome.`;
    case 'pausing':
      return 'Pausing: calls in flight are finishing, no new ones are made.';
    case 'paused':
      if (view.code === 'FIRST_ROWS') return `The first rows have been sent. ${waiting(open)} until you resume.`;
      return `Paused: ${waiting(open)}. Nothing is sent until it is resumed.`;
    case 'blocked':
      if (view.code === CREATE_LIMIT)
        return `Blocked: more is missing on the service than may be created, and ${waiting(open)} for your decision.`;
      if (view.code === BANS_UNKNOWN)
        return `Blocked: it is not known who is banned from its groups, and adding a banned user lifts the ban. ${waiting(open)}. Resume asks the service again.`;
      if (view.code === 'SERVICE_AWAY')
        return `Blocked: the service has not answered for longer than the import may wait, and ${waiting(open)} for it. It continues when the service answers; no attempts were used.`;
      if (view.code === 'DISK_FULL')
        return 'Blocked: the disk of the data directory is full. Make room on it; the import continues by itself, and nothing is lost.';
      return `Blocked: the service refused a region’s key or plan, and ${waiting(open)} for it. Fix it, then resume; no attempts were used.`;
    case 'cancelling':
      return 'Cancelling: calls in flight are finishing, the rest will not be sent.';
    case 'cancelled':
      return `Cancelled: ${grouped(rows.unprocessed)} of ${counted(rows.read, 'row')} ${rows.unprocessed === 1 ? 'was' : 'were'} not sent.`;
    case 'aborted':
      return 'Stopped: more rows went wrong than allowed. Rows that were not sent can be retried.';
    case 'completed':
      return completedSentence(view);
    case 'failed':
      return `Failed: rollcall hit an unexpected error. ${rows.read === 0 ? 'Nothing was sent.' : `${grouped(settled(rows))} of ${counted(rows.read, 'row')} have an outcome and keep it.`} Resume tries again; cancel ends it.`;
    case 'rejected':
      return 'The file could not be used, and nothing was sent. Fix it and upload it again.';
  }
}

/** Rows that are not sent yet: "1 row waits". @param {number} rows */
export function waiting(rows) {
  return `${counted(rows, 'row')} ${rows === 1 ? 'waits' : 'wait'}`;
}

/** @param {ImportView} view */
function completedSentence(view) {
  const { rows, repaired } = view;
  const good = inPlace(rows);
  if (rows.read === 0) return 'Completed: the file has no rows.';
  if (rows.read === 1 && good === 1) return 'Completed: the only row succeeded.';
  if (good === rows.read) return `Completed: all ${counted(good, 'row')} succeeded.`;
  const attention = leftToDo(view);
  const others =
    rows.skipped === 0 ? 'duplicates of these' : rows.duplicate === 0 ? 'left out' : 'left out, or duplicates';
  const rest = [
    repaired > 0 && `${counted(repaired, 'row')} ${repaired === 1 ? 'was' : 'were'} repaired and sent`,
    attention > 0 && `${counted(attention, 'row')} ${attention === 1 ? 'needs' : 'need'} attention`,
  ].filter((part) => part !== false);
  return `Completed: ${grouped(good)} of ${counted(rows.read, 'row')} succeeded; ${rest.join('; ') || `the others are ${others}`}.`;
}

/** What a region is doing or waiting for. @param {RegionState} region */
export function regionSentence(region) {
  if (region.stopped) return 'Stopped: the service refused its key or plan';
  if (region.unanswered !== null) {
    const { state, nextTryAt } = region.circuit;
    return `The service does not answer; ${state === 'open' && nextTryAt !== null ? `next try at ${timeToTheSecond(nextTryAt)}` : 'trying now'}`;
  }
  if (region.limitedForMs >= 1000 && region.active === 0) {
    return `Waiting ${grouped(Math.ceil(region.limitedForMs / 1000))} s for the rate limit`;
  }
  if (region.active > 0) return `${counted(region.active, 'call')} in flight, ${grouped(region.waiting)} waiting`;
  if (region.waiting > 0 && region.workers === 0) return 'Waiting for a worker: none is running';
  if (region.waiting > 0) return `${counted(region.waiting, 'call')} waiting`;
  if (region.delayed > 0) return `${counted(region.delayed, 'call')} waiting for a retry`;
  return '';
}

/** @param {ImportView} view @param {Action} action */
export function actionLabel(view, action) {
  switch (action) {
    case 'pause':
      return 'Pause';
    case 'resume':
      if (view.state !== 'staged') return 'Resume';
      return (view.checkedRows?.wouldFail ?? 0) > 0 ? 'Start with all rows' : 'Start sending';
    case 'cancel':
      return 'Cancel…';
    case 'retry':
      return `Retry ${counted(view.retryable, 'row')}`;
    case 'delete':
      return 'Delete…';
  }
}

/** What a column of a file may be, by the label that pages have for it. @type {readonly (readonly [field: Field, label: string])[]} */
export const FIELDS = [
  ['uid', 'User (UID)'],
  ['guid', 'Group (GUID)'],
  ['scope', 'Scope'],
  ['region', 'Region'],
  ['onBehalfOf', 'Acting user'],
];

/** A column as people know it: cells beyond the header have none of their own. @param {string} name */
export function columnLabel(name) {
  if (name === '') return 'column without a name';
  const [, number] = /^_extra_(\d+)$/.exec(name) ?? [];
  return number === undefined ? name : `extra column ${number}`;
}

/** What a field offers, where it asks for a column. @param {readonly string[]} columns */
export function columnChoices(columns) {
  return columns.map((name) => /** @type {const} */ ([name, columnLabel(name)]));
}

/** What is wrong with a row, which begins with the name of the column. @param {string} message */
export function messageWords(message) {
  return message.replace(/^_extra_\d+(?=: )/, columnLabel);
}

/** The file's name without its folders. @param {string} file */
export function fileName(file) {
  return file === '-' ? 'standard input' : (file.split(/[\\/]/).at(-1) ?? file);
}

/** What is missing for a preview's field, below the first rows. @type {Readonly<Record<string, string>>} */
export const MISSING = {
  uid: 'No column is recognised as the user. Choose “User (UID)” above the column that has it.',
  guid: 'No column is recognised as the group. Choose “Group (GUID)” above the column that has it, or enter one group for all rows.',
};

/** Why an import waits that would create too much: behind the first sentence it says how a program goes on. @param {Pick<ImportView, 'reason'>} view */
export function createLimitSentence({ reason }) {
  const [first = ''] = reason.split('. ');
  return `${first.charAt(0).toUpperCase()}${first.slice(1)}.`;
}

/** What rows wait for before they are sent; '' when it is over. @param {Pick<ImportView, 'regions'>} view */
function bansSentence({ regions }) {
  let [asked, of] = [0, 0];
  for (const { banQuestions } of Object.values(regions)) {
    asked += banQuestions?.asked ?? 0;
    of += banQuestions?.of ?? 0;
  }
  return asked < of ? `Asking ${counted(of, 'group')} who is banned: ${grouped(asked)} of ${grouped(of)}. ` : '';
}
