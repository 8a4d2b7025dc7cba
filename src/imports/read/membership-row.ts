import { ID, MAX_ID_LENGTH, NOT_ID_CHARACTER } from '../../chat/service/limits.ts';
import { MEMBER_SCOPES } from '../../chat/service/lists.ts';
import { option, words } from '../../errors/named-options.ts';
import {
  ACTIONS,
  type Action,
  isRegion,
  type Membership,
  REGIONS,
  type Region,
  SCOPES,
  type Scope,
} from '../../membership/membership.ts';
import { bareWord } from '../../text/same-text.ts';
import type { ColumnRole, Columns } from './columns.ts';
import { type InputRow, NO_PROBLEMS, type RowProblem, type RowProblemCode } from './input-row.ts';
import { type Bounds, intakeError, shown } from './intake-error.ts';
import { ENDS, endOf, TIMES, timeOf } from './times.ts';

/** Used where the input has no such column, or the cell is empty. Without a scope: `participant`, the lowest. */
export interface RowDefaults {
  readonly region: Region;
  readonly guid?: string | undefined;
  readonly scope?: Scope | undefined;
  readonly onBehalfOf?: string | undefined;
  readonly until?: string | undefined;
  /** It is sent in silence: rows may say since when their users are members. */
  readonly silent?: boolean | undefined;
  /** Rows of a membership that is over are no mistake: the file of a sync says who should be a member, tonight and later. */
  readonly mayBeOver?: boolean | undefined;
}

export interface RowReading {
  readonly columns: Columns;
  readonly reader: MembershipReader;
  readonly hasDefaultGuid: boolean;
  readonly bounds: Bounds;
  /** Told how many characters the report repeats, because a row gives several memberships. */
  readonly onRepeat: (characters: number) => void;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/;

/** Scope by word without separators, in lower case; our words and the service's list names (docs/chat-service.md, 15). */
const SCOPE_BY_WORD: ReadonlyMap<string, Scope> = new Map<string, Scope>([
  ...SCOPES.flatMap((scope) => [[scope, scope] as const, [`${scope}s`, scope] as const]),
  ['userstoban', 'ban'],
  ['usertoban', 'ban'],
  ['banned', 'ban'],
]);

export function scopeOfWord(text: string): Scope | undefined {
  return SCOPE_BY_WORD.get(bareWord(text));
}

type IdField = 'guid' | 'uid' | 'onBehalfOf';

/** Defaults that are checked before the first row, with their names for people. */
const DEFAULTS = [
  ['guid', 'group'],
  ['onBehalfOf', 'acting user'],
  ['until', 'end'],
] as const;

/** Spellings cached per word list; more are looked up again each time. */
const MAX_SPELLINGS = 1_000;

/** Adds a problem of the row that is read. */
type Add = (field: ColumnRole, value: string, code: RowProblemCode, reason: string) => void;

export type MembershipReader = ReturnType<typeof membershipReader>;

/**
 * Turns the texts of one row into a membership and its problems. Problems gather in one list, so rows must be read one at a time.
 * Throws BAD_DEFAULT, since a bad default would make every row invalid.
 * @param allowedActions words for actions that the input may have, for messages
 */
export function membershipReader(
  columns: Pick<Columns, 'nameOf'>,
  defaults: RowDefaults,
  allowedActions: () => readonly string[] = () => ACTIONS,
) {
  const { region: defaultRegion, silent: isSilent = false } = defaults;
  let problems: RowProblem[] | undefined;
  const addProblem = (problem: RowProblem) => {
    problems ??= [];
    problems.push(problem);
  };
  const takeProblems = () => {
    const taken = problems ?? NO_PROBLEMS;
    problems = undefined;
    return taken;
  };
  const columnOf = (field: ColumnRole) => columns.nameOf(field) ?? field;
  const add: Add = (field, value, code, reason) => addProblem({ column: columnOf(field), value, code, reason });

  const regionOf = regionReader(defaultRegion, add);
  const scopeOf = scopeReader(defaults.scope, add);
  const endFor = endReader(defaults, add);
  const idOf = (field: IdField, text: string) => {
    if (ID.test(text)) return text;
    const id = text.trim();
    if (id !== '') return checkedId(field, text, id, add);
    if (field === 'onBehalfOf') return defaults.onBehalfOf ?? '';
    if (field === 'guid' && defaults.guid) return defaults.guid;
    const isExplained = problems?.some(({ column }) => column === columnOf(field)) ?? false;
    if (!isExplained) add(field, '', 'EMPTY', `the ${field} is empty; a row needs one`);
    return '';
  };

  for (const [field, name] of DEFAULTS) {
    const value = defaults[field];
    if (value === undefined || value === '') continue;
    if (field === 'until') endFor('');
    else idOf(field, value);
    const [problem] = takeProblems();
    if (problem === undefined) continue;
    throw intakeError(
      'BAD_DEFAULT',
      `the ${name} for all rows cannot be used: ${problem.reason}`,
      words`Correct ${option(field)}`,
      { option: field, value },
    );
  }

  /** `original` is JSON text; an absent cell is the empty text. Without `action` the row is an addition. */
  function read(
    line: number,
    original: string,
    region: string,
    guid: string,
    uid: string,
    scope: string,
    onBehalfOf: string,
    joinedAt: string,
    action?: string,
    until = '',
  ): InputRow {
    const asked = action === undefined ? 'add' : actionOf(action, allowedActions, add);
    const end = endFor(until);
    // Most rows have these fields and no others: an object that is copied takes several times as long.
    const row: InputRow = {
      line,
      original,
      region: regionOf(region),
      guid: idOf('guid', guid),
      uid: idOf('uid', uid),
      scope: scopeOf(asked, scope),
      onBehalfOf: idOf('onBehalfOf', onBehalfOf),
      problems: NO_PROBLEMS,
    };
    const joined = isSilent ? joinedAtOf(joinedAt, add) : undefined;
    if (isSilent) requireSilent(asked, row, add);
    if (problems === undefined && joined === undefined && asked === 'add' && end === undefined) return row;
    return {
      ...row,
      ...(joined !== undefined && { joinedAt: joined }),
      ...(asked !== 'add' && { action: asked }),
      ...(end !== undefined && { until: end }),
      problems: takeProblems(),
    };
  }

  /** The empty membership, for a row that cannot be read. */
  const none: Membership = { region: defaultRegion, guid: '', uid: '', scope: 'participant', onBehalfOf: '' };
  return { isSilent, addProblem, read, none };
}

/** Finds the meaning of a text, and next time it is found under the text itself. @param otherwise for a text without one */
function remembering<Value>(find: (text: string) => Value | undefined, otherwise: Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const value = find(text);
    if (value !== undefined && known.size < MAX_SPELLINGS) known.set(text, value);
    return value ?? otherwise;
  };
}

function regionReader(fallback: Region, add: Add) {
  return remembering((text) => {
    const region = text.trim().toLowerCase() || fallback;
    if (isRegion(region)) return region;
    add('region', text, 'UNKNOWN_REGION', `${shown(text)} is not a valid region; allowed are ${REGIONS.join(', ')}`);
    return undefined;
  }, fallback);
}

function actionOf(text: string, allowed: () => readonly string[], add: Add): Action {
  const word = text.trim().toLowerCase() || 'add';
  const action = ACTIONS.find((one) => one === word);
  if (action !== undefined) return action;
  add('action', text, 'UNKNOWN_ACTION', `${shown(text)} is not a valid action; allowed are ${allowed().join(', ')}`);
  return 'add';
}

/** Returns what reads the scope for an action: a removal needs none, and a change never takes the one for all rows. */
function scopeReader(fallback: Scope = 'participant', add: Add) {
  /** Whether any row had a valid scope of its own. */
  let isSeen = false;
  const scopeOf = remembering<Scope>((text) => {
    if (bareWord(text) === '') return fallback;
    const scope = scopeOfWord(text);
    isSeen ||= scope !== undefined;
    if (scope !== undefined) return scope;
    // A column called role may be about something else, and then none of its values is a scope.
    const hint = isSeen ? '' : '; if this column does not hold scopes, do not read it as scope';
    const reason = `${shown(text)} is not a valid scope; allowed are ${SCOPES.join(', ')}${hint}`;
    add('scope', text, 'UNKNOWN_SCOPE', reason);
    return undefined;
  }, 'participant');
  return (action: Action, text: string): Scope => {
    if (action === 'add') return scopeOf(text);
    if (action !== 'change') return 'participant';
    const allowed = MEMBER_SCOPES.join(', ');
    if (text.trim() === '') {
      add('scope', text, 'EMPTY', `the scope is empty; a change needs the new one: ${allowed}`);
      return 'participant';
    }
    const scope = scopeOf(text);
    if (scope === 'ban') {
      const reason = `${shown(text)} is not a valid scope of a member; a change allows ${allowed}, and to ban is the action add`;
      add('scope', text, 'UNKNOWN_SCOPE', reason);
    }
    return scope;
  };
}

/** The data import adds members, and nobody acts for it. */
function requireSilent(action: Action, { scope, onBehalfOf: actor }: InputRow, add: Add) {
  const refuse = (field: ColumnRole, value: string, what: string) =>
    add(field, value, 'NOT_SILENT', `${what} cannot be sent in silence; allowed is to add members`);
  if (action !== 'add') refuse('action', action, `the action ${action}`);
  if (scope === 'ban') refuse('scope', scope, 'a ban');
  if (actor !== '') refuse('onBehalfOf', actor, `an addition by ${shown(actor)}`);
}

function joinedAtOf(text: string, add: Add) {
  const written = text.trim();
  if (written === '') return undefined;
  const at = timeOf(written);
  if (at !== undefined && at <= Date.now()) return Math.floor(at / 1_000);
  const reason =
    at === undefined ? `${shown(text)} is not a valid time; allowed are ${TIMES}` : `${shown(text)} is in the future`;
  add('joinedAt', text, 'BAD_TIME', reason);
  return undefined;
}

function endReader({ until: fallback = '', mayBeOver }: RowDefaults, add: Add) {
  /** The moment from which `90d` counts. */
  const now = Date.now();
  return (text: string) => {
    const asked = text.trim() || fallback;
    if (asked === '') return undefined;
    const end = endOf(asked, now);
    if (end === undefined) add('until', text, 'BAD_TIME', `${shown(asked)} is no end; allowed are ${ENDS}`);
    else if (end <= now && !mayBeOver) {
      const reason = `the membership is over since ${shown(asked)}; correct the date or leave the row out`;
      add('until', text, 'ENDED', reason);
    }
    return end;
  };
}

/** @param id the text without blanks around it */
function checkedId(field: IdField, text: string, id: string, add: Add) {
  if (ID.test(id)) return id;
  const { length } = [...id];
  if (length > MAX_ID_LENGTH) {
    const reason = `the ${field} ${shown(id)} has ${length} characters; allowed are 1 to ${MAX_ID_LENGTH}`;
    add(field, text, 'TOO_LONG', reason);
  }
  const control = CONTROL_CHARACTER.exec(id);
  if (control !== null) {
    const reason = `the ${field} ${shown(id)} has the control character ${codePoint(control[0])} at position ${position(control)}; it may be a damaged file`;
    add(field, text, 'CONTROL_CHARACTER', reason);
    return id;
  }
  const bad = NOT_ID_CHARACTER.exec(id);
  if (bad !== null) {
    const isQuote = bad[0] === '"' && bad.index === 0 && text !== id;
    const hint = isQuote
      ? '; there is a space in front of the quote, so the quote counts as text: remove the space'
      : '';
    const reason = `the ${field} ${shown(id)} has ${shown(bad[0])} (${codePoint(bad[0])}) at position ${position(bad)}; allowed are A-Z, a-z, 0-9, - and _${hint}`;
    add(field, text, 'BAD_CHARACTER', reason);
  }
  return id;
}

/** 1-based, in characters. */
function position({ input, index }: RegExpExecArray) {
  return [...input.slice(0, index)].length + 1;
}

function codePoint(character: string) {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
