import type { Region, Scope } from '../../../membership/membership.ts';
import type { ByLookup } from '../../../options/lookups.ts';
import type { Shape } from '../../../options/shape.ts';
import { sameWord } from '../../../text/same-text.ts';
import type { RowProblem } from '../input-row.ts';
import { listed, shown } from '../intake-error.ts';
import type { Cells, Source } from './field-sources.ts';

import type { marks, scopeWords } from './words.ts';

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

/** The way from rows to memberships, with every column resolved. */
export interface Plan {
  readonly region: Source | undefined;
  readonly onBehalfOf: Source | undefined;
  readonly scope: Source | undefined;
  /** Returns the meaning of a scope word; undefined: no membership. */
  readonly scopeOf: ReturnType<typeof scopeWords>;
  readonly people: readonly PeopleSource[];
  readonly groups: GroupSource;
  readonly action:
    | {
        readonly column: string;
        readonly slots: readonly number[];
        readonly allowed: readonly string[];
        read(cells: Cells): string;
      }
    | undefined;
  /** The slots of neither users nor groups: an empty list there is no value, as `null` is. */
  readonly optional: ReadonlySet<number>;
  /** Returns the problem for which a row is left out; undefined if it is not. */
  refusal(cells: Cells): RowProblem | undefined;
}

/** Users of a row: one, several in a cell, or a list for one scope. */
export interface PeopleSource {
  readonly source: Source;
  /** Derives the UID of what is in a list. */
  readonly each: Source | undefined;
  readonly scope: string | undefined;
  /** Whether an empty cell means no user, instead of a problem. */
  readonly isList: boolean;
  readonly separator: string | undefined;
  /** Every slot that is read together with them. */
  readonly slots: readonly number[];
}

export interface Person {
  readonly uid: string;
  /** The text in the file. */
  readonly value: string;
  readonly label: string;
  readonly scope: string | undefined;
  /** One of several in its row. */
  readonly several: boolean;
  readonly derivedFrom: string | undefined;
}

type GroupSource = OneGroup | WideGroups | NumberedGroups;

interface AnyGroups {
  readonly label: string;
  /** The reason that is given for a row without a group. */
  readonly emptiness: string;
  readonly slots: readonly number[];
}

export interface OneGroup extends AnyGroups {
  readonly kind: 'one';
  /** Undefined: all rows are for the group of `--guid`. */
  readonly source: Source | undefined;
  readonly separator: string | undefined;
  readonly scopes: { readonly source: Source; readonly separator: string } | undefined;
}

export interface WideGroups extends AnyGroups {
  readonly kind: 'wide';
  readonly columns: readonly { readonly slot: number; readonly column: string; readonly guid: string }[];
  readonly markOf: ReturnType<typeof marks>;
}

interface NumberedGroups extends AnyGroups {
  readonly kind: 'numbered';
  readonly columns: readonly {
    readonly slot: number;
    readonly column: string;
    readonly scope: { readonly slot: number; readonly column: string } | undefined;
    /** Returns the problem for which conditions leave this group out. */
    readonly refusal: ReturnType<typeof refusalOf>;
  }[];
  readonly guidOf: (value: string) => string;
  readonly derives: boolean;
}

export interface Group {
  readonly guid: string;
  readonly value: string;
  readonly label: string;
  readonly scope: string | undefined;
  readonly scopeLabel?: string;
  /** Whether the scope is one of ours, found in a mark. */
  readonly mark: boolean;
  readonly several: boolean;
  readonly derivedFrom: string | undefined;
  readonly problem?: RowProblem;
  /** Its entry in the group file. */
  readonly target?: Target;
}

/** The users of a row; none where a list is empty. */
export function peopleOf({ source, each, scope, isList, separator }: PeopleSource, cells: Cells): Person[] {
  const texts = isList ? pieces(source.raw(cells), separator) : [undefined];
  return texts.map((piece) => {
    const value = source.raw(cells, piece);
    const reading = each ?? source;
    return {
      uid: reading.read(cells, piece),
      value: value.trim(),
      label: source.label,
      scope,
      several: piece !== undefined,
      derivedFrom: reading.derives ? reading.raw(cells, piece) : undefined,
    };
  });
}

/** The groups of a row; none where a list is empty, or no column has a mark. */
export function groupsOf(groups: GroupSource, cells: Cells): Group[] {
  if (groups.kind === 'wide') return wideGroups(groups, cells);
  return groups.kind === 'numbered' ? numberedGroups(groups, cells) : oneGroup(groups, cells);
}

function oneGroup({ source, separator, scopes, label }: OneGroup, cells: Cells): Group[] {
  if (source === undefined)
    return [{ guid: '', value: '', label, scope: undefined, mark: false, several: false, derivedFrom: undefined }];
  const texts = separator === undefined ? [undefined] : pieces(source.raw(cells), separator);
  const words = scopes === undefined ? undefined : pieces(scopes.source.read(cells), scopes.separator);
  const uneven =
    words !== undefined && words.length > 1 && words.length !== texts.length
      ? unevenScopes(scopes?.source.label ?? '', words.length, texts.length)
      : undefined;
  return texts.map((piece, index) => ({
    guid: source.read(cells, piece),
    value: source.raw(cells, piece).trim(),
    label: source.label,
    scope: words === undefined ? undefined : ((words.length === 1 ? words[0] : words[index]) ?? ''),
    mark: false,
    several: piece !== undefined,
    derivedFrom: source.derives ? source.raw(cells, piece) : undefined,
    ...(uneven !== undefined && { problem: uneven }),
  }));
}

function unevenScopes(column: string, scopes: number, groups: number): RowProblem {
  const reason = `there are ${scopes} scopes for ${groups} groups; there must be one for all, or one for each`;
  return { column, value: String(scopes), code: 'VALUE_COUNT', reason };
}

function wideGroups({ columns, markOf }: WideGroups, cells: Cells): Group[] {
  const groups: Group[] = [];
  for (const { slot, column, guid } of columns) {
    const cell = cells[slot] ?? '';
    const mark = markOf(cell);
    if (mark.kind === 'none') continue;
    const reason = `${shown(cell.trim())} is not a known mark; allowed are a scope, x, 1, yes or true for a member, nothing, -, 0, no or false for none, and the words that are given for scopes`;
    groups.push({
      guid,
      value: cell.trim(),
      label: column,
      scope: mark.kind === 'member' ? mark.scope : '',
      scopeLabel: column,
      mark: true,
      several: true,
      derivedFrom: undefined,
      ...(mark.kind === 'unknown' && { problem: { column, value: cell, code: 'UNKNOWN_MARK', reason } }),
    });
  }
  return groups;
}

function numberedGroups({ columns, guidOf, derives }: NumberedGroups, cells: Cells): Group[] {
  return columns.flatMap(({ slot, column, scope, refusal }) => {
    const value = (cells[slot] ?? '').trim();
    if (value === '' || refusal(cells) !== undefined) return [];
    return [
      {
        guid: guidOf(value),
        value,
        label: column,
        scope: scope === undefined ? undefined : (cells[scope.slot] ?? ''),
        ...(scope !== undefined && { scopeLabel: scope.column }),
        mark: false,
        several: true,
        derivedFrom: derives ? value : undefined,
      },
    ];
  });
}

/** The values in a cell; an empty one between two separators does not count. */
function pieces(cell: string, separator: string | undefined): string[] {
  const parts = separator === undefined ? [cell] : cell.split(separator);
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** Returns the check that finds the condition for which a row is left out. */
export function refusalOf(
  conditions: readonly { readonly slot: number; readonly condition: NonNullable<Shape['where']>[number] }[],
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
      return {
        column,
        value: cell,
        code: 'FILTERED',
        reason: `it is ${cell.trim() === '' ? 'empty' : shown(cell.trim())}; ${kept}`,
      };
    }
    return undefined;
  };
}

function alternatives(words: readonly string[]): string {
  const values = words.filter((word) => word.trim() !== '');
  const empty = values.length < words.length ? ['an empty cell'] : [];
  return [...(values.length > 0 ? [listed(values)] : []), ...empty].join(' or ');
}
