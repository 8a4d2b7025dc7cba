/** Decisions of the steps of a new file: words that are open, columns that are missing, what is sent. Pure. */
import { AMOUNT_LABELS, BAN_CHECKS, CHOICES, WAIT_LABELS } from '../../../options/labels.ts';
import { counted, grouped } from '../../../text/wording.ts';
import type { ImportView, Preview, PreviewRow } from '../../answers.ts';
import { listIn } from '../../format.ts';
import { MISSING } from '../../import-words.ts';
import { pairsText } from './shape-form.ts';

type Values = Readonly<Record<string, string>>;

/** Words that are scopes themselves, as the server reads them: whatever their case and separators. */
const SCOPES: readonly string[] = [...CHOICES.scope, 'banned'];

export interface ScopeWord {
  word: string;
  /** Rows among those that were looked at. */
  rows: number;
  /** The scope, or `none`; '' for one that nobody decided. */
  meaning: string;
  /** The meaning that it may have; '' for none. */
  suggested: string;
  /** It is a scope itself, or a cell without a word. */
  isPlain: boolean;
}

/**
 * Every word of a scope column, those that are to be decided first.
 * @param seen word → rows @param own meanings that a person chose @param suggested meanings that were found
 */
export function scopeWordsIn(seen: Readonly<Record<string, number>>, own: Values, suggested: Values): ScopeWord[] {
  const words = [...new Set([...Object.keys(seen), ...Object.keys(own)])];
  return words
    .map((word) => {
      const scope = word
        .trim()
        .toLowerCase()
        .replace(/[\s_-]/g, '');
      const isPlain = scope === '' || SCOPES.includes(scope);
      const meaning = own[word] ?? (scope === '' ? 'participant' : isPlain ? scope : (own['*'] ?? ''));
      return { word, rows: seen[word] ?? 0, meaning, suggested: suggested[word] ?? '', isPlain };
    })
    .sort((a, b) => Number(a.isPlain) - Number(b.isPlain) || b.rows - a.rows);
}

/** Says how many words are open, and what becomes of their rows; '' if none is. */
export function openWords(words: readonly ScopeWord[]): string {
  const open = words.filter(({ meaning }) => meaning === '');
  if (open.length === 0) return '';
  const rows = open.reduce((sum, one) => sum + one.rows, 0);
  return `${counted(open.length, 'word')} ${open.length === 1 ? 'is' : 'are'} not decided: ${counted(rows, 'row')} with ${open.length === 1 ? 'it' : 'them'} will not be sent.`;
}

interface Looked {
  /** The first rows; undefined before they are read, or if they cannot be. */
  found: Pick<Preview, 'missing'> | undefined;
  isReading: boolean;
  /** The server only reads it whole. */
  isTooLarge: boolean;
  /** Columns that a person chose, also since the file was last read. */
  chosen: Readonly<Record<string, string | undefined>>;
}

/** Whether the file can be read whole now; else the fields that are missing, or `''` where it is not known yet. */
export function readiness({
  found,
  isReading,
  isTooLarge,
  chosen,
}: Looked): 'ready' | 'reading' | 'refused' | readonly string[] {
  if (isTooLarge) return 'ready';
  if (found === undefined) return isReading ? 'reading' : 'refused';
  const missing = found.missing.filter((field) => (chosen[field] ?? '') === '' && field in MISSING);
  return missing.length === 0 ? 'ready' : missing;
}

export interface GridRow {
  line: number;
  original: Readonly<Record<string, unknown>>;
  /** A row may give several memberships. */
  readAs: readonly PreviewRow[];
  /** Column → what is wrong with its cell, or leaves the row out. */
  reasons: ReadonlyMap<string, readonly string[]>;
  /** Problems without a cell. */
  others: readonly string[];
}

interface GridRowsOptions {
  /** Rows. */
  most: number;
  /** Their values are looked up: they need not be ids. */
  keyColumns: readonly string[];
}

export function gridRows(
  { rows, columns, missing }: Pick<Preview, 'rows' | 'columns' | 'missing'>,
  { most, keyColumns }: GridRowsOptions,
): GridRow[] {
  const byLine = Map.groupBy(rows, ({ line }) => line);
  // Before anything is chosen, all that would be said is that.
  const isChosen = !(missing.includes('uid') && missing.includes('guid'));
  return [...byLine].slice(0, most).map(([line, all]) => {
    const readAs = all.map((row) => ({ ...row, problems: row.problems.filter(isSaid) }));
    const problems = readAs.flatMap((row) => row.problems);
    const byColumn = Map.groupBy(problems, ({ column }) => (columns.includes(column) ? column : undefined));
    const reasons = new Map(
      [...byColumn].flatMap(([column, some]) => (column === undefined ? [] : [[column, once(some)]])),
    );
    return { line, original: all[0]?.original ?? {}, readAs, reasons, others: once(byColumn.get(undefined) ?? []) };
  });

  /** A column that is not chosen yet is missed once, and not in each row. */
  function isSaid({ column }: PreviewRow['problems'][number]) {
    return isChosen && !missing.includes(column) && !keyColumns.includes(column);
  }
}

function once(problems: readonly { reason: string }[]) {
  return [...new Set(problems.map(({ reason }) => reason))];
}

/** The number of these settings that are not the default. */
export function changedOf(names: readonly string[], values: Values): number {
  return names.filter((name) => (values[name] ?? '').trim() !== '').length;
}

/** Ways with rows that would fail, as the check says. */
export type Failing = 'leaveOut' | 'create' | 'send';

/** The options for creating users and groups, as the server takes them; '' where nothing of the kind is created. */
export function creatingOptions({
  createUsers = '',
  createGroups = '',
  reactivate = '',
  ...values
}: Values): Record<string, string> {
  const users = createUsers !== '';
  const groups = createGroups !== '';
  const at = (name: string, isWanted: boolean) => (isWanted ? (values[name] ?? '') : '');
  const pairs = (texts: Record<string, string>) =>
    pairsText(Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')));
  return {
    createUsers,
    createGroups,
    reactivate,
    userNameFrom: at('userNameFrom', users) && 'uid',
    groupNameFrom: at('groupNameFrom', groups) && 'guid',
    groupType: at('groupType', groups),
    createMap:
      at('createMap', createUsers + createGroups + reactivate !== '') ||
      pairs({ name: at('nameColumn', users), group_name: at('groupNameColumn', groups) }),
    maxCreate: pairs({ users: at('maxUsers', createUsers + reactivate !== ''), groups: at('maxGroups', groups) }),
  };
}

const ASKED = Object.keys({ ...AMOUNT_LABELS, ...WAIT_LABELS, ...BAN_CHECKS });

/** The choices of the review as `resume` takes them. @param missing the answer of a check by which what is missing is created */
export function resumeChoices(
  values: Values,
  failing: Failing | '' = '',
  missing: Values = {},
): Record<string, string> {
  const only = listIn(values['onlyGroups'] ?? '');
  const all = {
    only: only.length === 0 ? '' : `guid=${only.join('|')}`,
    ...Object.fromEntries(ASKED.map((name) => [name, values[name] ?? ''])),
    ...(failing === '' ? creatingOptions(values) : {}),
    ...(failing === 'leaveOut' && { leaveOutFailing: 'true' }),
    ...(failing === 'create' && missing),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

/** The label of the button that sends. @param rows that would be sent; undefined: not known yet */
export function sendLabel(rows: number | undefined, { first = '', onlyGroups = '' }: Values): string {
  if (rows === undefined) return 'Send';
  if (rows === 0) return 'Finish without sending';
  const most = /^\d+$/.test(first) ? Math.min(Number(first), rows) : rows;
  if (listIn(onlyGroups).length > 0) return 'Send these groups';
  return most < rows ? `Send the first ${most === 1 ? 'row' : counted(most, 'row')}` : `Send ${counted(rows, 'row')}`;
}

/** Whether an import was read, and nothing of it was sent: it is reviewed. */
export function isReviewed({ state, startedAt, rows }: Pick<ImportView, 'state' | 'startedAt' | 'rows'>): boolean {
  return state === 'staged' && startedAt === null && rows.read > 0;
}

/** The rows of a file that was read: how many can be sent, and how many cannot. */
export function reviewSentence({ rows, checkedRows }: Pick<ImportView, 'rows' | 'checkedRows'>): string {
  const left = rows.duplicate + rows.skipped;
  const valid = rows.read - rows.invalid - left;
  const parts = [
    `${grouped(valid)} of ${counted(rows.read, 'row')} ${valid === 1 ? 'is' : 'are'} valid`,
    rows.invalid > 0 && `${grouped(rows.invalid)} ${rows.invalid === 1 ? 'is' : 'are'} invalid and will not be sent`,
    left > 0 && `${grouped(left)} ${left === 1 ? 'is' : 'are'} left out or double`,
    (checkedRows?.wouldFail ?? 0) > 0 && `${grouped(checkedRows?.wouldFail ?? 0)} would fail, as the service says`,
  ].filter((part) => part !== false);
  return `${parts.join('; ')}. Nothing has been sent.`;
}
