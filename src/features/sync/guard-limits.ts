import { RollcallError } from '../../errors/rollcall-error.ts';

/**
 * The limits of the guards, each with its default and the reason for it, in one table. `grows`: of a growth. It passes
 * where there is no run before, unless its limit is given, and may be more than 100 %.
 */
export const LIMITS = {
  groupRemovalsPercent: {
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
  regionRemovalsPercent: {
    default: 10,
    unit: 'percent',
    why: 'members of all groups of a region: all groups together should change less than a single one',
  },
  regionRemovals: { default: 500, unit: 'number', why: 'the same as a number, for very large regions' },
  runRemovalsPercent: { default: 10, unit: 'percent', why: 'members of all groups of the run, for the same reason' },
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
  groupAdditionsPercent: {
    default: 100,
    unit: 'percent',
    grows: true,
    why: 'members of one group that may be added or raised: more than twice the members in one night is more likely a mistake in the file',
  },
  groupAdditions: {
    default: 500,
    unit: 'number',
    grows: true,
    why: 'the same as a number: each writes a message that all members see, and nobody can take it back',
  },
  smallGroupAdditions: {
    default: 20,
    unit: 'number',
    grows: true,
    why: 'members of a small group that may be added or raised: what a group of 20 may gain',
  },
  regionAdditionsPercent: {
    default: 50,
    unit: 'percent',
    grows: true,
    why: 'members of all groups of a region that may be added or raised: all groups together should grow less than a single one',
  },
  regionAdditions: {
    default: 1000,
    unit: 'number',
    grows: true,
    why: 'the same as a number, for very large regions',
  },
  runAdditionsPercent: {
    default: 50,
    unit: 'percent',
    grows: true,
    why: 'members of all groups of the run that may be added or raised, for the same reason',
  },
  runAdditions: {
    default: 2000,
    unit: 'number',
    grows: true,
    why: 'the same as a number: as many messages as a run may write unattended',
  },
  smallTotalAdditions: {
    default: 100,
    unit: 'number',
    grows: true,
    why: 'members of a small region or run that may be added or raised: what one of 200 may gain',
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
  grownPercent: {
    default: 100,
    unit: 'percent',
    grows: true,
    why: 'rows that the file may have more than in the last run',
  },
  grownRows: {
    default: 100,
    unit: 'number',
    grows: true,
    why: 'more rows than in the last run, up to this many, are never a concern, however short the file',
  },
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
} as const satisfies Record<string, Limit>;

interface Limit {
  readonly default: number;
  readonly unit: 'percent' | 'number';
  readonly grows?: true;
  readonly why: string;
}

export type LimitName = keyof typeof LIMITS;
export type Limits = Readonly<Record<LimitName, number>>;

/** The limits that are given in place of defaults. */
export type GivenLimits = Readonly<Record<string, number>>;

/**
 * The limits with these put in place of defaults: whole numbers from 0, percentages to 100, of a growth also above.
 * @param run without a run before, a growth has no limit but those that are given
 * @throws BAD_LIMIT with the name, the value and what is allowed
 */
export function limitsWith(given: GivenLimits = {}, run: 'first' | 'later' = 'later'): Limits {
  const limits: Record<string, number> = Object.fromEntries(
    Object.entries<Limit>(LIMITS).map(([name, { default: byDefault, grows }]) => [
      name,
      grows && run === 'first' ? Number.POSITIVE_INFINITY : byDefault,
    ]),
  );
  for (const [name, value] of Object.entries(given)) {
    if (!isLimitName(name)) {
      throw new RollcallError('BAD_LIMIT', {
        what: `${JSON.stringify(name)} is not a limit of a guard`,
        remedy: `allowed are ${Object.keys(LIMITS).join(', ')}`,
      });
    }
    const { unit, grows }: Limit = LIMITS[name];
    const isPercent = unit === 'percent';
    const isWhole = isPercent ? Number.isFinite(value) : Number.isSafeInteger(value);
    const most = isPercent && !grows ? 100 : Number.POSITIVE_INFINITY;
    if (!isWhole || value < 0 || value > most) {
      const allowed = isPercent ? `a percentage from 0${grows ? '' : ' to 100'}` : 'a whole number from 0';
      throw new RollcallError('BAD_LIMIT', { what: `the limit ${name} is ${value}`, remedy: `allowed is ${allowed}` });
    }
    limits[name] = value;
  }
  return limits as Limits;
}

function isLimitName(name: string): name is LimitName {
  return Object.hasOwn(LIMITS, name);
}
