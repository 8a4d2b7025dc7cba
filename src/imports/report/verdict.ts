import type { ImportSummary } from '../../api/import-summary.ts';
import type { ImportView } from '../../api/imports.ts';
import { meaningOf } from '../../chat/service/codes.ts';
import { option, type Words, type WriteOption, words, written } from '../../errors/named-options.ts';
import { isFinal } from '../../membership/import-state.ts';
import { FULFILLED, OUTCOMES, type Outcome, sumOfOutcomes } from '../../membership/outcome.ts';
import { capitalised, counted, enumerate, grouped } from '../../text/wording.ts';
import { isLedgerLost } from '../lost-ledger.ts';
import { hasManyMemberships } from './summary-counts.ts';

/** good: nothing to do; attention: rows or the run need a person; pending: it continues; fault: the sum does not hold. */
export type Tone = 'good' | 'attention' | 'pending' | 'fault';

export interface Verdict {
  readonly tone: Tone;
  /** One plain sentence, without the import's name. */
  readonly sentence: string;
  /** Rows without an outcome yet, because the import has not finished. */
  readonly pending: number;
}

/**
 * The result of an import in one sentence: how many rows succeeded, the outcomes of the others, whether any is missing.
 * @param interrupted no process runs it, although it has neither finished nor waits
 */
export function verdictOf(summary: ImportSummary, interrupted = false): Verdict {
  const { rows, state, code = '' } = summary;
  const open = rows.read - sumOfOutcomes(rows);
  const pending = isFinal(state) ? 0 : Math.max(0, open);
  const said = (tone: Tone, sentence: string) => ({ tone, pending, sentence });
  if (open !== pending) return said('fault', faultSentence(rows.read, open));
  if (state === 'rejected') return said('attention', 'The file cannot be used; nothing was sent.');
  if (rows.read === 0) {
    if (isLedgerLost(code)) return said('attention', 'Its ledger is gone or damaged, so its rows cannot be counted.');
    if (state === 'failed') return said('attention', 'Failed while reading the file; nothing was sent.');
    if (isFinal(state)) return said('attention', 'The file has no rows; nothing was sent.');
    const reading = interrupted ? 'The file was not read to its end' : 'The file is being read';
    return said('pending', `${reading}; nothing has been sent yet.`);
  }

  const others = OUTCOMES.filter((outcome) => !FULFILLED.has(outcome) && outcome !== 'skipped' && rows[outcome] > 0);
  const clauses = others.map(
    (outcome) => `${grouped(rows[outcome])} ${CLAUSES[outcome]?.[rows[outcome] === 1 ? 0 : 1]}`,
  );
  const isUntried = state === 'staged' && pending > 0;
  if (pending > 0 && !isUntried) clauses.push(`${grouped(pending)} pending`);
  const asked = rows.read - rows.skipped;
  const succeeded = asked - pending - sumOfOutcomes(rows, others);
  const noun = hasManyMemberships(summary) ? 'membership' : 'row';
  const parts = [isUntried ? `${share(asked, pending, noun)} can be sent` : inPlace(asked, succeeded, noun)];
  if (clauses.length > 0) parts.push(enumerate(clauses));
  if (isUntried && summary.notes?.some((note) => note.code === 'FIELD_LIMIT'))
    parts.push('those that break a limit of fields only where their user and group exist');
  if (rows.skipped > 0) parts.push(`${counted(rows.skipped, 'row')} ${rows.skipped === 1 ? 'was' : 'were'} left out`);
  if (pending === 0 && state !== 'running') parts.push('every row is accounted for');
  const waits = state === 'blocked' ? WAITS[code] : undefined;
  const sentence = capitalised(`${waits ?? PREFIXES[state] ?? ''}${parts.join('; ')}.`);
  if (state === 'blocked' || state === 'failed') return said('attention', sentence);
  if (!isFinal(state)) return said('pending', sentence);
  const settled = state === 'completed' && others.every((outcome) => outcome === 'duplicate') && asked > 0;
  return said(settled ? 'good' : 'attention', sentence);
}

/** The state of an import in words: its verdict, and what a person must know before they decide about it. */
export function sentenceOf(view: Omit<ImportView, 'sentence' | 'attention' | 'next'>) {
  const { state, staging, checkedRows: { wouldFail = 0 } = {}, edited = 0 } = view;
  if (state === 'staging' && staging === null)
    return 'Waiting to be read: files are read one after another. Nothing has been sent yet.';
  const sentences = [
    verdictOf(view).sentence,
    wouldFail > 0 && `${grouped(wouldFail)} would fail, as the service says.`,
    state === 'staged' && 'Nothing has been sent.',
    edited > 0 && `${counted(edited, 'row')} ${edited === 1 ? 'was' : 'were'} edited and not sent yet.`,
  ];
  return sentences.filter((sentence) => sentence !== false).join(' ');
}

/** Verdicts for a blocked import that needs no decision of a person, by its code. */
const WAITS: Readonly<Record<string, string>> = {
  SERVICE_AWAY: 'Waiting for the service: ',
  DISK_FULL: 'Waiting for room on the disk: ',
  DATABASE_BUSY: 'Waiting for a file that another program holds: ',
  PROCESS_DIED: 'Waiting after rollcall ended unexpectedly: ',
};

const PREFIXES: Readonly<Partial<Record<ImportSummary['state'], string>>> = {
  pausing: 'Pausing, calls in flight are finishing: ',
  paused: 'Paused: ',
  cancelling: 'Cancelling, calls in flight are finishing: ',
  blocked: 'Blocked until a person acts: ',
  failed: 'Failed with an unexpected error: ',
  cancelled: 'Cancelled: ',
  aborted: 'Stopped after too many errors: ',
};

/** Said of one row, and of several. */
const CLAUSES: Readonly<Partial<Record<Outcome, readonly [one: string, several: string]>>> = {
  failed: ['failed', 'failed'],
  invalid: ['is invalid', 'are invalid'],
  duplicate: ['is a duplicate of another row', 'are duplicates of other rows'],
  unconfirmed: ['is unconfirmed', 'are unconfirmed'],
  unprocessed: ['was not sent', 'were not sent'],
};

/** "the only row", "all 5 rows", "3 of 5 rows" */
function share(of: number, count: number, noun: string) {
  if (of === 1) return `the only ${noun}`;
  if (count === of) return `all ${counted(of, noun)}`;
  return `${count === 0 ? 'none' : grouped(count)} of ${counted(of, noun)}`;
}

function inPlace(asked: number, succeeded: number, noun: string) {
  if (asked === 0) return `no ${noun} is left to be sent`;
  return `${share(asked, succeeded, noun)} ${asked === 1 && succeeded === 0 ? 'did not succeed' : 'succeeded'}`;
}

function faultSentence(read: number, open: number) {
  const what =
    open > 0
      ? `${counted(open, 'row')} of ${grouped(read)} ${open === 1 ? 'is' : 'are'} unaccounted for`
      : `${counted(-open, 'outcome')} more than the ${counted(read, 'row')} read`;
  return `${what}: this is a bug in rollcall. Keep the data directory and report it.`;
}

const UNREACHED =
  'No connection to the service for these rows: check its status page and the network; if nothing ever worked, the app id, region and host. Then import the retry file.';

/** Advice about codes that are not the service's own. */
const BY_CODE: Readonly<Record<string, Words>> = {
  FOUND_IN_GROUP: 'Nothing: this is as it was asked for, probably by an earlier call of this import.',
  USER_DEACTIVATED: words`These users are deactivated: import the retry file with ${option('reactivate')}, or take them out of the file.`,
  NO_NAME: words`Add names to the file, or import the retry file with ${option('userNameFrom', 'uid')} or ${option('groupNameFrom', 'guid')}.`,
  BAD_METADATA: words`Correct the metadata in the file, or leave its column out with ${option('createMap', 'metadata=')}.`,
  FIELD_LIMIT: words`Shorten the values, or leave their column out with ${option('createMap')}, such as avatar=.`,
  BANNED: words`These users are banned from the group, and nothing was sent: import the retry file with ${option('allowUnban')} if they should come back.`,
  CONNECT_FAILED: UNREACHED,
  CONNECT_TIMEOUT: UNREACHED,
  NOT_THE_SERVICE:
    'A proxy, firewall or login page answered in place of the service: check the network and HTTPS_PROXY; then import the retry file.',
  UNKNOWN_SCOPE: words`These rows are not sent: correct their scopes, and send only these rows. If the column does not hold scopes at all, import the file again with ${option('map', 'scope=')}, which ignores it.`,
  UNKNOWN_IDENTITY:
    'The identity file does not have these. Fill in the UIDs in unknown-identities.csv, add its lines to the identity file, and import the file again.',
  UNKNOWN_GROUP:
    'The group file does not have these. Fill in the GUIDs in unknown-groups.csv, add its lines to the group file, and import the file again.',
  DERIVED_ID_COLLISION:
    'Different values become the same id. Change the template so that they stay apart, or give an identity file; then import the file again.',
  UNKNOWN_MARK: words`Say what these words mean with ${option('scopeWords')}, such as "leader=moderator,?=none".`,
  FILTERED: 'Nothing: the conditions leave these rows out.',
  LEFT_OUT:
    'You left these rows out. If they should be sent after all, correct them, or correct what their message names in the report with this code and import that file.',
  LEFT_IN_PLACE: 'The undo leaves these members as they are: its plan says what you can do about each reason.',
  NO_MEMBERSHIP: 'Nothing, if these rows have no group or no user on purpose.',
  CELL_COUNT: 'Look for a missing or additional delimiter or quote in these lines and fix the file.',
};

const BY_OUTCOME: Readonly<Partial<Record<Outcome, string>>> = {
  failed: 'The service refused these rows: correct what its message names, and send only these rows.',
  invalid: 'These rows are not sent: correct their values, and send only these rows.',
  duplicate: 'Nothing: the same membership is in another row, which counts.',
  unconfirmed: 'The service gave no answer for these rows, so they may have worked: retry the import to make sure.',
  unprocessed: 'These rows were not sent: retry the import to send them.',
};

/** Returns the advice for rows with this outcome and code: one or two sentences, '' if there is none. */
export function adviceFor(status: Outcome, code: string, write: WriteOption) {
  return adviceForCode(code, write) || (BY_OUTCOME[status] ?? '');
}

/** Returns the advice for the code alone; '' if there is none. */
export function adviceForCode(code: string, write: WriteOption) {
  return written((Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : meaningOf(code)?.advice) ?? '', write);
}
