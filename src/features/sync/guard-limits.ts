import { RollcallError } from '../../errors/rollcall-error.ts';

/** The limits of the guards, each with its default and the reason for it, in one table. */
export const LIMITS = {
  groupPercent: {
    default: 20,
    unit: 'percent',
    why: 'members of one group that may be removed or lowered: more than a fifth in one night is more likely a mistake in the file',
  },
  groupRemovals: {
    default: 100,
    unit: 'number',
    why: 'the same as a number: a fifth of a very large group would be a disaster too',
  },
  smallGroup: {
    default: 20,
    unit: 'number',
    why: 'members below which a group is small: one person is a large part of it, so a percentage says nothing',
  },
  smallGroupRemovals: {
    default: 3,
    unit: 'number',
    why: 'members of a small group that may be removed or lowered: just below what a group of 20 may lose',
  },
  regionPercent: {
    default: 10,
    unit: 'percent',
    why: 'members of all groups of a region: all groups together should change less than a single one',
  },
  regionRemovals: { default: 500, unit: 'number', why: 'the same as a number, for very large regions' },
  runPercent: { default: 10, unit: 'percent', why: 'members of all groups of the run, for the same reason' },
  runRemovals: { default: 1000, unit: 'number', why: 'the same as a number: as many as a person can still review' },
  smallTotal: {
    default: 200,
    unit: 'number',
    why: 'members below which a region or a run is small: its groups’ own limits say more than a percentage of it',
  },
  smallTotalRemovals: {
    default: 20,
    unit: 'number',
    why: 'members of a small region or run that may be removed or lowered: what one of 200 may lose',
  },
  emptiedFrom: {
    default: 2,
    unit: 'number',
    why: 'number of leaving members from which a group must not be emptied; replacing one person by another is normal',
  },
  forgottenGroups: {
    default: 0,
    unit: 'number',
    why: 'groups with members that the last run had and this file no longer mentions: often the file is cut off',
  },
  shrunkPercent: { default: 10, unit: 'percent', why: 'rows that the file may have fewer than in the last run' },
  shrunkRows: { default: 3, unit: 'number', why: 'fewer rows than this are never a concern, however short the file' },
  invalidRows: {
    default: 0,
    unit: 'number',
    why: 'members in invalid rows would count as missing',
  },
  failedListings: { default: 0, unit: 'number', why: 'groups whose members could not be listed as a whole' },
  movedGroups: {
    default: 0,
    unit: 'number',
    why: 'groups that are in another region than in the last run: often it is the file of another region',
  },
  lostColumns: {
    default: 0,
    unit: 'number',
    why: 'columns of the last run that this file lacks: without its scope column everyone would be a participant',
  },
  ownerChanges: {
    default: 0,
    unit: 'number',
    why: 'owners that may be removed, banned or lowered, even when named explicitly',
  },
} as const satisfies Record<string, { default: number; unit: 'percent' | 'number'; why: string }>;
export type LimitName = keyof typeof LIMITS;
export type Limits = Readonly<Record<LimitName, number>>;

export class LimitError extends RollcallError {
  constructor(what: string, remedy: string) {
    super('BAD_LIMIT', what, { remedy });
  }
}

/**
 * The limits with these put in place of defaults: whole numbers from 0, percentages to 100.
 * Throws LimitError with the name, the value and what is allowed.
 */
export function limitsWith(given: Readonly<Record<string, number>> = {}): Limits {
  const limits: Record<string, number> = Object.fromEntries(
    Object.entries(LIMITS).map(([name, limit]) => [name, limit.default]),
  );
  for (const [name, value] of Object.entries(given)) {
    if (!isLimitName(name)) {
      throw new LimitError(
        `${JSON.stringify(name)} is not a limit of a guard`,
        `allowed are ${Object.keys(LIMITS).join(', ')}`,
      );
    }
    const isPercent = LIMITS[name].unit === 'percent';
    const fits = isPercent ? value >= 0 && value <= 100 : Number.isSafeInteger(value) && value >= 0;
    if (!fits) {
      const allowed = isPercent ? 'a percentage from 0 to 100' : 'a whole number from 0';
      throw new LimitError(`the limit ${name} is ${value}`, `allowed is ${allowed}`);
    }
    limits[name] = value;
  }
  return limits as Limits;
}

function isLimitName(name: string): name is LimitName {
  return Object.hasOwn(LIMITS, name);
}
