import type { ImportSummary } from '../../api/import-summary.ts';
import { isFinal } from '../../membership/import-state.ts';
import { FULFILLED, OUTCOMES, type Outcome, sumOfOutcomes } from '../../membership/outcome.ts';
import { counted, grouped } from '../../text/wording.ts';
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

/** The result of an import in one sentence: how many rows succeeded, the outcomes of the others, whether any is missing. */
export function verdictOf(summary: ImportSummary): Verdict {
  const { rows, state, code } = summary;
  const open = rows.read - sumOfOutcomes(rows);
  const pending = isFinal(state) ? 0 : Math.max(0, open);
  const said = (tone: Tone, sentence: string) => ({ tone, pending, sentence });
  if (open !== pending) return said('fault', faultSentence(rows.read, open));
  if (state === 'rejected') return said('attention', 'The file cannot be used; nothing was sent.');
  if (rows.read === 0 && (code === 'LEDGER_MISSING' || code === 'DAMAGED_LEDGER'))
    return said('attention', 'Its ledger is gone or damaged, so its rows cannot be counted.');
  if (rows.read === 0 && state === 'failed')
    return said('attention', 'Failed while reading the file; nothing was sent.');
  if (rows.read === 0) {
    return isFinal(state)
      ? said('attention', 'The file has no rows; nothing was sent.')
      : said('pending', 'The file is being read; nothing has been sent yet.');
  }

  const others = OUTCOMES.filter((outcome) => !FULFILLED.has(outcome) && outcome !== 'skipped' && rows[outcome] > 0);
  const clauses = others.map((outcome) => CLAUSES[outcome]?.(rows[outcome]) ?? '');
  const isUntried = state === 'staged' && pending > 0;
  if (pending > 0 && !isUntried) clauses.push(`${grouped(pending)} pending`);
  const asked = rows.read - rows.skipped;
  const succeeded = asked - pending - others.reduce((sum, outcome) => sum + rows[outcome], 0);
  const noun = hasManyMemberships(summary) ? 'membership' : 'row';
  const parts = [isUntried ? ready(asked, pending, noun) : inPlace(asked, succeeded, noun)];
  if (clauses.length > 0) parts.push(enumerate(clauses));
  if (isUntried && summary.notes?.some((note) => note.code === 'FIELD_LIMIT'))
    parts.push(`those that break a limit of fields only where their user and group exist`);
  if (rows.skipped > 0) parts.push(`${counted(rows.skipped, 'row')} ${rows.skipped === 1 ? 'was' : 'were'} left out`);
  if (pending === 0) parts.push('every row is accounted for');
  const waits = state === 'blocked' ? WAITS[code ?? ''] : undefined;
  const sentence = capitalised(`${waits ?? PREFIXES[state] ?? ''}${parts.join('; ')}.`);
  if (state === 'blocked' || state === 'failed') return said('attention', sentence);
  if (!isFinal(state)) return said('pending', sentence);
  const settled = state === 'completed' && others.every((outcome) => outcome === 'duplicate') && asked > 0;
  return said(settled ? 'good' : 'attention', sentence);
}

/** Verdicts for a blocked import that needs no decision of a person, by its code. */
const WAITS: Readonly<Record<string, string>> = {
  SERVICE_AWAY: 'Waiting for the service: ',
  DISK_FULL: 'Waiting for room on the disk: ',
  DATABASE_BUSY: 'Waiting for a file that another program holds: ',
  PROCESS_DIED: 'Waiting after rollcall ended unexpectedly: ',
};

const PREFIXES: Readonly<Partial<Record<ImportSummary['state'], string>>> = {
  paused: 'Paused: ',
  blocked: 'Blocked until a person acts: ',
  failed: 'Failed with an unexpected error: ',
  cancelled: 'Cancelled: ',
  aborted: 'Stopped after too many errors: ',
};

const CLAUSES: Readonly<Partial<Record<Outcome, (count: number) => string>>> = {
  failed: (count) => `${grouped(count)} failed`,
  invalid: (count) => `${grouped(count)} ${are(count)} invalid`,
  duplicate: (count) =>
    count === 1 ? '1 is a duplicate of another row' : `${grouped(count)} are duplicates of other rows`,
  unconfirmed: (count) => `${grouped(count)} ${are(count)} unconfirmed`,
  unprocessed: (count) => `${grouped(count)} ${count === 1 ? 'was' : 'were'} not sent`,
};

function ready(read: number, count: number, noun: string) {
  if (read === 1) return `the only ${noun} can be sent`;
  return count === read
    ? `all ${counted(read, noun)} can be sent`
    : `${grouped(count)} of ${counted(read, noun)} can be sent`;
}

function inPlace(read: number, count: number, noun: string) {
  if (read === 0) return `no ${noun} is left to be sent`;
  if (read === 1) return `the only ${noun} ${count === 1 ? 'succeeded' : 'did not succeed'}`;
  if (count === read) return `all ${counted(read, noun)} succeeded`;
  if (count === 0) return `none of ${counted(read, noun)} succeeded`;
  return `${grouped(count)} of ${counted(read, noun)} succeeded`;
}

function faultSentence(read: number, open: number) {
  return open > 0
    ? `${counted(open, 'row')} of ${grouped(read)} ${are(open)} unaccounted for: this is a bug in rollcall. Keep the data directory and report it.`
    : `${counted(-open, 'outcome')} more than the ${counted(read, 'row')} read: this is a bug in rollcall. Keep the data directory and report it.`;
}

function are(count: number) {
  return count === 1 ? 'is' : 'are';
}

function enumerate(parts: readonly string[]) {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

function capitalised(sentence: string) {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
