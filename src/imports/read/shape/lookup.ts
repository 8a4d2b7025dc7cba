import type { Region, Scope } from '../../../membership/membership.ts';
import type { ByLookup } from '../../../options/lookups.ts';

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
