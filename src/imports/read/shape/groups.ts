import { foldId, type ScopeMeaning } from '../../../membership/membership.ts';
import type { Shape } from '../../../options/shape.ts';
import { sameName, sameWord } from '../../../text/same-text.ts';
import { starPattern } from '../../../text/wildcard.ts';
import { unknownColumn } from '../columns.ts';
import type { RowProblem } from '../input-row.ts';
import { intakeError, listed, RENAME_ONE, shown } from '../intake-error.ts';
import { scopeOfWord } from '../membership-row.ts';
import type { Cells, Layout, Source } from './field-sources.ts';
import { inSource, type Parties, type Party, pieces } from './parties.ts';
import { nameTemplate } from './template.ts';

/** Groups in a column, a template or nowhere. @param scopes the scopes of the row, which belong to its groups in their order */
export function oneGroup({ split }: Shape, source: Source | undefined, scopes: Source | undefined): Parties {
  if (source === undefined) {
    const group: Party = { id: '', value: '', label: 'guid', several: false };
    return { label: undefined, emptiness: '', slots: [], of: () => [group] };
  }
  const groups = inSource(source, { field: 'guid', separator: split?.guid });
  if (scopes === undefined) return groups;
  const of = (cells: Cells) => {
    const all = groups.of(cells);
    const words = pieces(scopes.read(cells), split?.scope);
    const isUneven = words.length > 1 && words.length !== all.length;
    const problem = isUneven ? unevenScopes(scopes.label, words.length, all.length) : undefined;
    return all.map((group, index) => ({
      ...group,
      scope: (words.length === 1 ? words[0] : words[index]) ?? '',
      problem,
    }));
  };
  return { ...groups, of };
}

function unevenScopes(column: string, scopes: number, groups: number): RowProblem {
  const reason = `there are ${scopes} scopes for ${groups} groups; there must be one for all, or one for each`;
  return { column, value: String(scopes), code: 'VALUE_COUNT', reason };
}

/** Columns that are groups, with a mark for each member. @param used slots that are something else */
export function wideGroups(
  { scopeWords: words }: Shape,
  wide: NonNullable<Shape['wide']>,
  { columns: { names }, slotOf }: Layout,
  used: readonly number[],
): Parties {
  const patterns = wide.columns.map(starPattern);
  const guidOf = nameTemplate(wide.guid);
  const taken = new Set(used);
  const columns: { readonly slot: number; readonly column: string; readonly guid: string }[] = [];
  const byGuid = new Map<string, string>();
  for (const name of names) {
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
    of: (cells) =>
      columns.flatMap(({ slot, column, guid }): Party[] => {
        const value = (cells[slot] ?? '').trim();
        const scope = markOf(value);
        if (scope === 'none') return [];
        const problem = scope === undefined ? unknownMark(column, cells[slot] ?? '') : undefined;
        return [
          {
            id: guid,
            value,
            label: column,
            scope: scope ?? '',
            scopeLabel: column,
            isMark: true,
            several: true,
            problem,
          },
        ];
      }),
  };
}

function unknownMark(column: string, value: string): RowProblem {
  const reason = `${shown(value.trim())} is not a known mark; allowed are a scope, x, 1, yes or true for a member, nothing, -, 0, no or false for none, and the words that are given for scopes`;
  return { column, value, code: 'UNKNOWN_MARK', reason };
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
  template: string | undefined,
  { columns: { names }, slotOf, has }: Layout,
): Parties {
  const conditions = (shape.where ?? [])
    .filter((one) => isNumbered(one, shape, has))
    .map((condition) => ({ condition, columns: numberedColumns(condition.column, names) }));
  const without = conditions.find(({ columns }) => columns.size === 0);
  if (without !== undefined) throw unknownColumn(without.condition.column, 'a condition', names);
  const scopes = scope === undefined ? new Map<number, string>() : numberedColumns(scope, names);
  const guidOf = nameTemplate(template);
  const groups = [...numberedColumns(guid, names)]
    .sort(([one], [other]) => one - other)
    .map(([number, label]) => {
      const tests = conditions.flatMap(({ condition, columns }) => {
        const name = columns.get(number);
        return name === undefined ? [] : [{ condition, slot: slotOf(name, 'a condition') }];
      });
      const scopeLabel = scopes.get(number);
      const slot = slotOf(label, 'a numbered group');
      const scopeSlot = scopeLabel === undefined ? slot : slotOf(scopeLabel, 'a numbered group');
      const slots = [slot, scopeSlot, ...tests.map((test) => test.slot)];
      return { slot, slots, label, scopeLabel, scopeSlot, refusal: refusalOf(tests) };
    });
  return {
    label: guid,
    emptiness: `none of these columns is filled${conditions.length === 0 ? '' : ', or conditions leave them out'}`,
    slots: groups.flatMap(({ slots }) => slots),
    of: (cells) =>
      groups.flatMap(({ slot, label, scopeLabel, scopeSlot, refusal }): Party[] => {
        const value = (cells[slot] ?? '').trim();
        if (value === '' || refusal(cells) !== undefined) return [];
        const scope = scopeLabel && (cells[scopeSlot] ?? '');
        const derivedFrom = template === undefined ? undefined : value;
        return [{ id: guidOf(value), value, label, scope, scopeLabel, several: true, derivedFrom }];
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
export function scopeWords(words: Shape['scopeWords']): (text: string) => string | undefined {
  const meaningOf = lookUp(words);
  return (text) => {
    const meaning = meaningOf(text) ?? text;
    return meaning === 'none' ? undefined : meaning;
  };
}

const YES = new Set(['x', '✓', '✔', '1', 'y', 'yes', 'true']);
/** A word for any other mark says nothing about these. */
const NO = { '': 'none', '-': 'none', '0': 'none', n: 'none', no: 'none', false: 'none' } as const;

/**
 * Returns the function that reads a person's cell in the column of a group: a scope, nothing for that of the row, `none` for
 * no membership. Undefined: the mark is not known.
 */
function marks(words: Shape['scopeWords']): (text: string) => ScopeMeaning | '' | undefined {
  const meaningOf = lookUp<ScopeMeaning>({ ...NO, ...words });
  return (text) => meaningOf(text) ?? (YES.has(text.toLowerCase()) ? '' : scopeOfWord(text));
}

/** The action that a text asks for; an unlisted word is passed on as it is, and an empty cell is `add`. */
export function actionWords(words: NonNullable<Shape['actions']>['words']): (text: string) => string {
  const meaningOf = lookUp(words);
  return (text) => meaningOf(text) ?? text.trim().toLowerCase();
}
