import {
  type ACTION_MEANINGS,
  foldId,
  type Region,
  type Scope,
  type ScopeMeaning,
} from '../../../membership/membership.ts';
import type { ByLookup } from '../../../options/lookups.ts';
import type { Shape } from '../../../options/shape.ts';
import { sameName, sameWord } from '../../../text/same-text.ts';
import { starPattern } from '../../../text/wildcard.ts';
import { type Columns, type Field, unknownColumn } from '../columns.ts';
import type { RowProblem } from '../input-row.ts';
import { badShape, intakeError, listed, RENAME_ONE, shown } from '../intake-error.ts';
import { scopeOfWord } from '../membership-row.ts';
import { type Cells, type FieldSources, nameTemplate, type Slots, type Source } from './field-sources.ts';

/** The user or group that a key stands for. */
export interface Target {
  readonly id: string;
  /** In place of those of the row. */
  readonly scope?: Scope | undefined;
  readonly region?: Region | undefined;
}

/** Finds the UID, or the GUIDs, for what a file knows users or groups by. */
export interface Lookup {
  /** None where the key is not in the file; that is counted. */
  find(key: string): readonly Target[];
}

export type Lookups = ByLookup<Lookup>;

/** The columns of an input, as far as they are known. */
export interface Layout {
  /** The columns that are recognised by their names. */
  readonly columns: Columns;
  readonly names: () => readonly string[];
  /** There is a column of this very name. */
  readonly has: (column: string) => boolean;
  /** @throws IntakeError UNKNOWN_COLUMN */
  readonly slotOf: Slots;
}

export interface Group {
  readonly guid: string;
  readonly value: string;
  readonly label: string;
  readonly scope?: string | undefined;
  readonly scopeLabel?: string | undefined;
  /** The scope is one of ours, found in a mark. */
  readonly isMark?: boolean;
  /** It may be one of several in its row. */
  readonly several: boolean;
  readonly derivedFrom?: string | undefined;
  readonly problem?: RowProblem | undefined;
  /** Its entry in the group file. */
  readonly target?: Target;
}

/** The place of the groups in a row. */
export interface Groups {
  /** Undefined: all rows are for the group of `--guid`. */
  readonly label: string | undefined;
  /** The reason that is given for a row without a group. */
  readonly emptiness: string;
  readonly slots: readonly number[];
  /** The column or template, where the groups of a row have one of their own. */
  readonly source?: Source | undefined;
  /** Whether they come with scopes of their own, in place of that of the row. */
  readonly haveScopes: boolean;
  /** The groups of a row; none where a list is empty, or no column has a mark. */
  of(cells: Cells): Group[];
}

/** @param scope the scopes of the row; groups in one cell may have one each */
export function oneGroup({ split }: Shape, source: Source | undefined, scope: Source | undefined): Groups {
  const separator = split?.guid;
  const several = split?.scope;
  const scopes = several === undefined ? undefined : scope;
  const common = { emptiness: 'it has no group', haveScopes: scopes !== undefined };
  if (source === undefined) {
    const group: Group = { guid: '', value: '', label: 'guid', several: false };
    return { ...common, label: undefined, slots: [], of: () => [group] };
  }
  checkSplits(source, separator, 'guid');
  const { label, slots, derives } = source;
  const of = (cells: Cells) => {
    const texts = separator === undefined ? [undefined] : pieces(source.raw(cells), separator);
    const words = scopes && pieces(scopes.read(cells), several);
    const isUneven = words !== undefined && words.length > 1 && words.length !== texts.length;
    const problem = isUneven ? unevenScopes(scopes?.label ?? '', words.length, texts.length) : undefined;
    return texts.map(
      (piece, index): Group => ({
        guid: source.read(cells, piece),
        value: source.raw(cells, piece).trim(),
        label,
        scope: words && ((words.length === 1 ? words[0] : words[index]) ?? ''),
        several: piece !== undefined,
        derivedFrom: derives ? source.raw(cells, piece) : undefined,
        problem,
      }),
    );
  };
  return { ...common, label, slots, source, of };
}

function unevenScopes(column: string, scopes: number, groups: number): RowProblem {
  const reason = `there are ${scopes} scopes for ${groups} groups; there must be one for all, or one for each`;
  return { column, value: String(scopes), code: 'VALUE_COUNT', reason };
}

/** Columns that are groups, with a mark for each member. @param used slots that are something else */
export function wideGroups(
  { scopeWords: words }: Shape,
  wide: NonNullable<Shape['wide']>,
  { names, slotOf }: Layout,
  used: readonly number[],
): Groups {
  const patterns = wide.columns.map(starPattern);
  const guidOf = nameTemplate(wide.guid);
  const taken = new Set(used);
  const columns: { readonly slot: number; readonly column: string; readonly guid: string }[] = [];
  const byGuid = new Map<string, string>();
  for (const name of names()) {
    const column = name.trim();
    if (!patterns.some((fits) => fits(column))) continue;
    const slot = slotOf(column, 'a group');
    if (taken.has(slot)) continue;
    const guid = guidOf(column);
    const other = byGuid.get(foldId(guid));
    if (other !== undefined) {
      const what = `the columns ${shown(other)} and ${shown(column)} both give the group ${shown(guid)}`;
      throw intakeError('AMBIGUOUS_COLUMN', what, RENAME_ONE);
    }
    byGuid.set(foldId(guid), column);
    columns.push({ slot, column, guid });
  }
  const markOf = marks(words);
  return {
    label: wide.columns.join(', '),
    emptiness: 'no column of a group has a mark',
    slots: columns.map(({ slot }) => slot),
    haveScopes: false,
    of: (cells) =>
      columns.flatMap(({ slot, column, guid }): Group[] => {
        const cell = cells[slot] ?? '';
        const mark = markOf(cell);
        if (mark.kind === 'none') return [];
        const reason = `${shown(cell.trim())} is not a known mark; allowed are a scope, x, 1, yes or true for a member, nothing, -, 0, no or false for none, and the words that are given for scopes`;
        const [scope, problem] =
          mark.kind === 'member'
            ? [mark.scope, undefined]
            : ['', { column, value: cell, code: 'UNKNOWN_MARK', reason } as const];
        const value = cell.trim();
        return [{ guid, value, label: column, scope, scopeLabel: column, isMark: true, several: true, problem }];
      }),
  };
}

export type Condition = NonNullable<Shape['where']>[number];

/** A condition is about each of the numbered groups: `enrolstatus#`. */
export function isNumbered({ column }: Condition, { numbered }: Shape, has: Layout['has']) {
  return numbered !== undefined && column.includes('#') && !has(column);
}

/** Columns with a number in their names, each with a group: `course1`, `course2`. */
export function numberedGroups(
  shape: Shape,
  { guid, scope }: NonNullable<Shape['numbered']>,
  template: FieldSources['guid'],
  { names, slotOf, has }: Layout,
): Groups {
  const conditions = (shape.where ?? [])
    .filter((one) => isNumbered(one, shape, has))
    .map((condition) => ({ condition, columns: numberedColumns(condition.column, names()) }));
  const without = conditions.find(({ columns }) => columns.size === 0);
  if (without !== undefined) throw unknownColumn(without.condition.column, 'a condition', names());
  const scopes = scope === undefined ? new Map<number, string>() : numberedColumns(scope, names());
  const guidOf = nameTemplate(template?.kind === 'template' ? template.text : undefined);
  const columns = [...numberedColumns(guid, names())]
    .sort(([one], [other]) => one - other)
    .map(([number, label]) => {
      const scopeLabel = scopes.get(number);
      const tests = conditions.flatMap(({ condition, columns: numbered }) => {
        const name = numbered.get(number);
        return name === undefined ? [] : [{ condition, slot: slotOf(name, 'a condition') }];
      });
      const slot = slotOf(label, 'a numbered group');
      const scopeSlots = scopeLabel === undefined ? [] : [slotOf(scopeLabel, 'a numbered group')];
      const refusal = refusalOf(tests);
      const slots = [slot, ...tests.map((test) => test.slot), ...scopeSlots];
      return { slot, slots, label, scopeLabel, scopeSlot: scopeSlots[0], refusal };
    });
  return {
    label: guid,
    emptiness: `none of these columns is filled${conditions.length === 0 ? '' : ', or conditions leave them out'}`,
    slots: columns.flatMap(({ slots }) => slots),
    haveScopes: false,
    of: (cells) =>
      columns.flatMap(({ slot, label, scopeLabel, scopeSlot, refusal }): Group[] => {
        const value = (cells[slot] ?? '').trim();
        if (value === '' || refusal(cells) !== undefined) return [];
        const group = { guid: guidOf(value), value, label, scopeLabel, several: true };
        const own = scopeSlot === undefined ? undefined : (cells[scopeSlot] ?? '');
        return [{ ...group, scope: own, derivedFrom: template === undefined ? undefined : value }];
      }),
  };
}

/** Number -> the column that has it, for `course#`. */
export function numberedColumns(pattern: string, names: readonly string[]): Map<number, string> {
  const [front = '', back = ''] = sameName(pattern)
    .split('#')
    .map((part) => RegExp.escape(part));
  const test = new RegExp(`^${front}(\\d{1,4})${back}$`, 'i');
  return new Map(
    names.flatMap((name) => {
      const [, number] = test.exec(sameName(name)) ?? [];
      return number === undefined ? [] : [[Number(number), name.trim()] as const];
    }),
  );
}

export function checkSplits(source: Source, separator: string | undefined, field: Field) {
  if (separator === undefined || source.isPlain) return;
  throw badShape(
    `several values of the ${field} can be in one column only, and ${shown(source.label)} reads several columns`,
    `Use a template with one column, or do not split the ${field}`,
  );
}

/** The values in a cell; an empty one between two separators does not count. */
export function pieces(cell: string, separator: string | undefined) {
  const parts = separator === undefined ? [cell] : cell.split(separator);
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** Returns the check that finds the condition for which a row is left out. */
export function refusalOf(
  conditions: readonly { readonly slot: number; readonly condition: Condition }[],
): (cells: Cells) => RowProblem | undefined {
  const tests = conditions.map(({ slot, condition: { column, is, isNot } }) => {
    const words = new Set((is ?? isNot ?? []).map(sameWord));
    const wanted = is !== undefined;
    const kept = `${wanted ? 'kept are rows with' : 'left out are rows with'} ${alternatives(is ?? isNot ?? [])}`;
    return { slot, column, words, wanted, kept };
  });
  return (cells) => {
    for (const { slot, column, words, wanted, kept } of tests) {
      const cell = cells[slot] ?? '';
      if (words.has(sameWord(cell)) === wanted) continue;
      const reason = `it is ${cell.trim() === '' ? 'empty' : shown(cell.trim())}; ${kept}`;
      return { column, value: cell, code: 'FILTERED', reason };
    }
    return undefined;
  };
}

function alternatives(words: readonly string[]) {
  const values = words.filter((word) => word.trim() !== '');
  const empty = values.length < words.length ? ['an empty cell'] : [];
  return [...(values.length > 0 ? [listed(values)] : []), ...empty].join(' or ');
}

/** Words of a file and what they mean. */

type ActionMeaning = (typeof ACTION_MEANINGS)[number];

const ANY = '*';

/** Meanings by word, without regard to case and surrounding spaces; `*` is every word that is not empty. */
function lookUp<Meaning>(words: Readonly<Record<string, Meaning>> = {}): (text: string) => Meaning | undefined {
  const meanings = new Map(Object.entries(words).map(([word, meaning]) => [sameWord(word), meaning]));
  const other = meanings.get(ANY);
  return (text) => {
    const word = sameWord(text);
    return meanings.get(word) ?? (word === '' ? undefined : other);
  };
}

/**
 * Returns the function that reads the scope from a text: a text for the reader, or undefined for no membership. A word
 * that is not listed goes on as it is: it may be a scope, and if it is not, the reader says so.
 */
export function scopeWords(
  words: Readonly<Record<string, ScopeMeaning>> | undefined,
): (text: string) => string | undefined {
  const meaningOf = lookUp(words);
  return (text) => {
    const meaning = meaningOf(text) ?? text;
    return meaning === 'none' ? undefined : meaning;
  };
}

const YES = new Set(['x', '✓', '✔', '1', 'y', 'yes', 'true']);
/** A word for any other mark says nothing about these. */
const NO = { '': 'none', '-': 'none', '0': 'none', n: 'none', no: 'none', false: 'none' } as const;

type Mark =
  | { readonly kind: 'member'; readonly scope: Scope | '' }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown' };

/** Returns the function that reads a person's cell in the column of a group. */
function marks(words: Readonly<Record<string, ScopeMeaning>> | undefined): (text: string) => Mark {
  const meaningOf = lookUp<ScopeMeaning>({ ...NO, ...words });
  return (text) => {
    const word = text.trim().toLowerCase();
    const meaning = meaningOf(text);
    if (meaning === 'none') return { kind: 'none' };
    if (meaning !== undefined) return { kind: 'member', scope: meaning };
    if (YES.has(word)) return { kind: 'member', scope: '' };
    const scope = scopeOfWord(word);
    return scope === undefined ? { kind: 'unknown' } : { kind: 'member', scope };
  };
}

/** The action that a text asks for; an unlisted word is passed on as it is, and an empty cell is `add`. */
export function actionWords(words: Readonly<Record<string, ActionMeaning>> | undefined): (text: string) => string {
  const meaningOf = lookUp(words);
  return (text) => meaningOf(text) ?? text.trim().toLowerCase();
}
