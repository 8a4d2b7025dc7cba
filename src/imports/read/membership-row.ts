import { ID, MAX_ID_LENGTH, NOT_ID_CHARACTER } from '../../chat/service/limits.ts';
import { MEMBER_SCOPES } from '../../chat/service/lists.ts';
import { option, words } from '../../errors/named-options.ts';
import {
  ACTIONS,
  type Action,
  isRegion,
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

/** Defaults that are checked before the first row, with their names for people. */
const DEFAULTS = [
  ['guid', 'group'],
  ['onBehalfOf', 'acting user'],
  ['until', 'end'],
] as const;

/** Spellings cached per word list; more are looked up again each time. */
const MAX_SPELLINGS = 1_000;

/** Turns the texts of one row into a membership and its problems. Keeps one scratch list of problems, so rows must be read one at a time. */
export class MembershipReader {
  readonly #defaults: RowDefaults;
  readonly #columns: Pick<Columns, 'nameOf'>;
  readonly #allowedActions: () => readonly string[];
  readonly #scopes = new Map<string, Scope>();
  readonly #regions = new Map<string, Region>();
  #problems: RowProblem[] | undefined;
  #scopeSeen = false;
  /** The moment from which `90d` counts. */
  readonly #now = Date.now();

  /**
   * Throws BAD_DEFAULT, since a bad default would make every row invalid.
   * @param allowedActions words for actions that the input may have, for messages
   */
  constructor(
    columns: Pick<Columns, 'nameOf'>,
    defaults: RowDefaults,
    allowedActions: () => readonly string[] = () => ACTIONS,
  ) {
    this.#columns = columns;
    this.#allowedActions = allowedActions;
    this.#defaults = defaults;
    for (const [field, name] of DEFAULTS) {
      const value = defaults[field];
      if (value === undefined || value === '') continue;
      if (field === 'until') this.#until('');
      else this.#id(field, value);
      const [problem] = this.#takeProblems();
      if (problem === undefined) continue;
      throw intakeError(
        'BAD_DEFAULT',
        `the ${name} for all rows cannot be used: ${problem.reason}`,
        words`Correct ${option(field)}`,
        { option: field, value },
      );
    }
  }

  /** Whether rows may say since when their users are members. */
  get isSilent() {
    return this.#defaults.silent ?? false;
  }

  /** A problem of the row that is read next. */
  addProblem(problem: RowProblem) {
    this.#problems ??= [];
    this.#problems.push(problem);
  }

  /** `original` is JSON text; an absent cell is the empty text. Without `action` the row is an addition. */
  read(
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
    const asked = action === undefined ? 'add' : this.#action(action);
    const end = this.#until(until);
    // Most rows have these fields and no others: an object that is copied takes several times as long.
    const row: InputRow = {
      line,
      original,
      region: this.#region(region),
      guid: this.#id('guid', guid),
      uid: this.#id('uid', uid),
      scope: this.#scopeFor(asked, scope),
      onBehalfOf: onBehalfOf === '' ? (this.#defaults.onBehalfOf ?? '') : this.#id('onBehalfOf', onBehalfOf),
      problems: NO_PROBLEMS,
    };
    const joined = this.isSilent ? this.#joinedAt(joinedAt) : undefined;
    if (this.isSilent) this.#requireSilent(asked, row);
    if (this.#problems === undefined && joined === undefined && asked === 'add' && end === undefined) return row;
    return {
      ...row,
      ...(joined !== undefined && { joinedAt: joined }),
      ...(asked !== 'add' && { action: asked }),
      ...(end !== undefined && { until: end }),
      problems: this.#takeProblems(),
    };
  }

  /** The empty membership, for a row that cannot be read. */
  noMembership(): Pick<InputRow, 'region' | 'guid' | 'uid' | 'scope' | 'onBehalfOf'> {
    return { region: this.#defaults.region, guid: '', uid: '', scope: 'participant', onBehalfOf: '' };
  }

  #takeProblems(): readonly RowProblem[] {
    const problems = this.#problems ?? NO_PROBLEMS;
    this.#problems = undefined;
    return problems;
  }

  #region(text: string) {
    const known = this.#regions.get(text);
    if (known !== undefined) return known;
    const word = text.trim().toLowerCase();
    const region = word === '' ? this.#defaults.region : word;
    if (isRegion(region)) return remember(this.#regions, text, region);
    const reason = `${shown(text)} is not a valid region; allowed are ${REGIONS.join(', ')}`;
    this.#add('region', text, 'UNKNOWN_REGION', reason);
    return this.#defaults.region;
  }

  #action(text: string) {
    const word = text.trim().toLowerCase();
    const action = word === '' ? 'add' : ACTIONS.find((one) => one === word);
    if (action !== undefined) return action;
    const reason = `${shown(text)} is not a valid action; allowed are ${this.#allowedActions().join(', ')}`;
    this.#add('action', text, 'UNKNOWN_ACTION', reason);
    return 'add';
  }

  /** The scope for an action: a removal needs none, and a change never takes the default. */
  #scopeFor(action: Action, text: string) {
    if (action === 'add') return this.#scope(text);
    if (action === 'remove' || action === 'unban') return 'participant';
    const allowed = MEMBER_SCOPES.join(', ');
    if (text.trim() === '') {
      this.#add('scope', text, 'EMPTY', `the scope is empty; a change needs the new one: ${allowed}`);
      return 'participant';
    }
    const scope = this.#scope(text);
    if (scope === 'ban') {
      const reason = `${shown(text)} is not a valid scope of a member; a change allows ${allowed}, and to ban is the action add`;
      this.#add('scope', text, 'UNKNOWN_SCOPE', reason);
    }
    return scope;
  }

  #scope(text: string) {
    const known = this.#scopes.get(text);
    if (known !== undefined) return known;
    const word = bareWord(text);
    const scope = word === '' ? (this.#defaults.scope ?? 'participant') : SCOPE_BY_WORD.get(word);
    if (scope !== undefined) {
      if (word !== '') this.#scopeSeen = true;
      return remember(this.#scopes, text, scope);
    }
    // A column called role may be about something else, and then none of its values is a scope.
    const hint = this.#scopeSeen ? '' : '; if this column does not hold scopes, do not read it as scope';
    const reason = `${shown(text)} is not a valid scope; allowed are ${SCOPES.join(', ')}${hint}`;
    this.#add('scope', text, 'UNKNOWN_SCOPE', reason);
    return 'participant';
  }

  /** The data import adds members, and nobody acts for it. */
  #requireSilent(action: Action, { scope, onBehalfOf: actor }: InputRow) {
    const add = (field: ColumnRole, value: string, what: string) =>
      this.#add(field, value, 'NOT_SILENT', `${what} cannot be sent in silence; allowed is to add members`);
    if (action !== 'add') add('action', action, `the action ${action}`);
    if (scope === 'ban') add('scope', scope, 'a ban');
    if (actor !== '') add('onBehalfOf', actor, `an addition by ${shown(actor)}`);
  }

  #joinedAt(text: string) {
    const written = text.trim();
    if (written === '') return undefined;
    const at = timeOf(written);
    if (at !== undefined && at <= Date.now()) return Math.floor(at / 1_000);
    const reason =
      at === undefined ? `${shown(text)} is not a valid time; allowed are ${TIMES}` : `${shown(text)} is in the future`;
    this.#add('joinedAt', text, 'BAD_TIME', reason);
    return undefined;
  }

  #until(text: string) {
    const asked = text.trim() || (this.#defaults.until ?? '');
    if (asked === '') return undefined;
    const end = endOf(asked, this.#now);
    if (end === undefined) this.#add('until', text, 'BAD_TIME', `${shown(asked)} is no end; allowed are ${ENDS}`);
    else if (end <= this.#now && !this.#defaults.mayBeOver) {
      this.#add(
        'until',
        text,
        'ENDED',
        `the membership is over since ${shown(asked)}; correct the date or leave the row out`,
      );
    }
    return end;
  }

  #id(field: 'guid' | 'uid' | 'onBehalfOf', text: string) {
    if (ID.test(text)) return text;
    const id = text.trim();
    if (ID.test(id)) return id;
    if (id === '') return this.#absentId(field);
    const length = characters(id);
    if (length > MAX_ID_LENGTH) {
      const reason = `the ${field} ${shown(id)} has ${length} characters; allowed are 1 to ${MAX_ID_LENGTH}`;
      this.#add(field, text, 'TOO_LONG', reason);
    }
    const control = CONTROL_CHARACTER.exec(id);
    if (control !== null) {
      const reason = `the ${field} ${shown(id)} has the control character ${codePoint(control[0])} at position ${position(id, control.index)}; it may be a damaged file`;
      this.#add(field, text, 'CONTROL_CHARACTER', reason);
      return id;
    }
    const bad = NOT_ID_CHARACTER.exec(id);
    if (bad !== null) {
      const blank = bad[0] === '"' && bad.index === 0 && text !== id;
      const hint = blank
        ? '; there is a space in front of the quote, so the quote counts as text: remove the space'
        : '';
      const reason = `the ${field} ${shown(id)} has ${shown(bad[0])} (${codePoint(bad[0])}) at position ${position(id, bad.index)}; allowed are A-Z, a-z, 0-9, - and _${hint}`;
      this.#add(field, text, 'BAD_CHARACTER', reason);
    }
    return id;
  }

  #absentId(field: 'guid' | 'uid' | 'onBehalfOf') {
    if (field === 'onBehalfOf') return this.#defaults.onBehalfOf ?? '';
    if (field === 'guid' && this.#defaults.guid) return this.#defaults.guid;
    const explained = this.#problems?.some((problem) => problem.column === this.#columnOf(field)) ?? false;
    if (!explained) this.#add(field, '', 'EMPTY', `the ${field} is empty; a row needs one`);
    return '';
  }

  #add(field: ColumnRole, value: string, code: RowProblemCode, reason: string) {
    this.addProblem({ column: this.#columnOf(field), value, code, reason });
  }

  #columnOf(field: ColumnRole) {
    return this.#columns.nameOf(field) ?? field;
  }
}

/** Returns `value`, and next time it is found under `text` itself. */
function remember<Value>(known: Map<string, Value>, text: string, value: Value) {
  if (known.size < MAX_SPELLINGS) known.set(text, value);
  return value;
}

function characters(text: string) {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function position(text: string, index: number) {
  return characters(text.slice(0, index)) + 1;
}

function codePoint(character: string) {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
