import type { Region, Scope } from '../../../membership/membership.ts';
import { type ByLookup, LOOKUPS, type LookupName } from '../../../options/lookups.ts';
import type { RowProblem } from '../input-row.ts';
import { badShape, shown } from '../intake-error.ts';
import type { Cells, Source } from './field-sources.ts';

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

export interface Party {
  readonly id: string;
  readonly value: string;
  readonly label: string;
  readonly scope?: string | undefined;
  readonly scopeLabel?: string | undefined;
  /** The scope is one of ours, found in a mark. */
  readonly isMark?: boolean;
  /** It may be one of several in its row. */
  readonly several: boolean;
  /** The text from which a template made the id. */
  readonly derivedFrom?: string | undefined;
  readonly problem?: RowProblem | undefined;
  readonly target?: Target;
}

/** The place of the users or of the groups in a row. */
export interface Parties {
  /** Undefined: all rows are for the group of `--guid`. */
  readonly label: string | undefined;
  /** The reason that is given for a row without any. */
  readonly emptiness: string;
  /** Every slot that is read for them. */
  readonly slots: readonly number[];
  /** The column or template, where they have one of their own. */
  readonly source?: Source | undefined;
  /** Those of a row; none where a list is empty, or no column has a mark. */
  of(cells: Cells): readonly Party[];
}

interface InSource {
  readonly field: 'uid' | 'guid';
  readonly separator: string | undefined;
  /** An empty cell means none, instead of a problem. */
  readonly isList?: boolean;
  /** Derives the id of each in the list. */
  readonly each?: Source | undefined;
  readonly scope?: string;
}

/** Users or groups in a column or template. */
export function inSource(source: Source, { field, separator, isList, each = source, scope }: InSource): Parties {
  const { label } = source;
  if (separator !== undefined && !source.isPlain) {
    throw badShape(
      `several values of the ${field} can be in one column only, and ${shown(label)} reads several columns`,
      `Use a template with one column, or do not split the ${field}`,
    );
  }
  return {
    label,
    emptiness: `it has no ${field === 'uid' ? 'user' : 'group'}`,
    slots: [...source.slots, ...each.slots],
    source,
    of: (cells) =>
      (isList || separator !== undefined ? pieces(source.raw(cells), separator) : [undefined]).map((piece) => ({
        id: each.read(cells, piece),
        value: source.raw(cells, piece),
        label,
        scope,
        several: piece !== undefined,
        derivedFrom: each.derives ? each.raw(cells, piece) : undefined,
      })),
  };
}

/** The values in a cell; an empty one between two separators does not count. */
export function pieces(cell: string, separator: string | undefined) {
  const parts = separator === undefined ? [cell] : cell.split(separator);
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** The users or groups that one of the file stands for. An empty one of the groups is that of all rows, which is a GUID. */
export function lookedUp(party: Party, name: LookupName, lookups: Lookups): readonly Party[] {
  const { [name]: lookup } = lookups;
  if (lookup === undefined || party.id.trim() === '') return [party];
  const { file, unknownCode: code, isMany } = LOOKUPS[name];
  // Two groups of a file may well stand for the same.
  const one = { ...party, derivedFrom: isMany ? undefined : party.derivedFrom };
  const found = lookup.find(party.id);
  const several = party.several || found.length > 1;
  if (found.length > 0) return found.map((target) => ({ ...one, id: target.id, target, several }));
  const reason = `${shown(party.id.trim())} is not in the ${file}`;
  return [{ ...one, id: '', problem: party.problem ?? { column: party.label, value: party.id, code, reason } }];
}
