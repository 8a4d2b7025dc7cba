import { z } from 'zod';
import { badUsage } from '../../errors/rollcall-error.ts';
import type { Given, OptionDeclaration, Options } from '../../options/option.ts';

/** `growth`: it limits a growth. It passes where there is no run before, unless it is given, and may be more than 100 %. */
type Row = readonly [byDefault: number, why: string, of?: 'growth'];

/** The limits of the guards, each with its default and the reason for it. One named `…Percent` is in percent. */
const TABLE = {
  groupRemovalsPercent: [
    20,
    'members of one group that may be removed or lowered: more than a fifth in one night is more likely a mistake in the file',
  ],
  groupRemovals: [100, 'the same as a number: a fifth of a very large group would be a disaster too'],
  smallGroup: [
    20,
    'members below which a group is small: one person is a large part of it, so a percentage says nothing',
  ],
  smallGroupRemovals: [
    3,
    'members of a small group that may be removed or lowered: just below what a group of 20 may lose',
  ],
  regionRemovalsPercent: [
    10,
    'members of all groups of a region: all groups together should change less than a single one',
  ],
  regionRemovals: [500, 'the same as a number, for very large regions'],
  runRemovalsPercent: [10, 'members of all groups of the run, for the same reason'],
  runRemovals: [1000, 'the same as a number: as many as a person can still review'],
  smallTotal: [
    200,
    'members below which a region or a run is small: its groups’ own limits say more than a percentage of it',
  ],
  smallTotalRemovals: [20, 'members of a small region or run that may be removed or lowered: what one of 200 may lose'],
  groupAdditionsPercent: [
    100,
    'members of one group that may be added or raised: more than twice the members in one night is more likely a mistake in the file',
    'growth',
  ],
  groupAdditions: [
    500,
    'the same as a number: each writes a message that all members see, and nobody can take it back',
    'growth',
  ],
  smallGroupAdditions: [
    20,
    'members of a small group that may be added or raised: what a group of 20 may gain',
    'growth',
  ],
  regionAdditionsPercent: [
    50,
    'members of all groups of a region that may be added or raised: all groups together should grow less than a single one',
    'growth',
  ],
  regionAdditions: [1000, 'the same as a number, for very large regions', 'growth'],
  runAdditionsPercent: [
    50,
    'members of all groups of the run that may be added or raised, for the same reason',
    'growth',
  ],
  runAdditions: [2000, 'the same as a number: as many messages as a run may write unattended', 'growth'],
  smallTotalAdditions: [
    100,
    'members of a small region or run that may be added or raised: what one of 200 may gain',
    'growth',
  ],
  emptiedFrom: [
    2,
    'number of leaving members from which a group must not be emptied; replacing one person by another is normal',
  ],
  forgottenGroups: [
    0,
    'groups with members that the last run had and this file no longer mentions: often the file is cut off',
  ],
  shrunkPercent: [10, 'rows that the file may have fewer than in the last run'],
  shrunkRows: [3, 'fewer rows than this are never a concern, however short the file'],
  grownPercent: [100, 'rows that the file may have more than in the last run', 'growth'],
  grownRows: [
    100,
    'more rows than in the last run, up to this many, are never a concern, however short the file',
    'growth',
  ],
  invalidRows: [0, 'members in invalid rows would count as missing'],
  failedListings: [0, 'groups whose members could not be listed as a whole'],
  movedGroups: [0, 'groups that are in another region than in the last run: often it is the file of another region'],
  lostColumns: [
    0,
    'columns of the last run that this file lacks: without its scope column everyone would be a participant',
  ],
  ownerChanges: [0, 'owners that may be removed, banned or lowered, even when named explicitly'],
} satisfies Record<string, Row>;

export type LimitName = keyof typeof TABLE;

const ROWS = Object.entries<Row>(TABLE);
const GROWTHS: ReadonlySet<string> = new Set(ROWS.filter(([, [, , of]]) => of === 'growth').map(([name]) => name));

export const LIMITS = ROWS.map(([name, [byDefault, why]]) => ({
  name,
  default: byDefault,
  unit: name.endsWith('Percent') ? ('percent' as const) : ('number' as const),
  why,
}));
type Limit = (typeof LIMITS)[number];
export type Limits = Readonly<Record<LimitName, number>>;

export type GivenLimits = Readonly<Record<string, number>>;

/** The limits with these in place of defaults. @param run in the first, only given limits bound a growth */
export function limitsWith(given: GivenLimits = {}, run: 'first' | 'later' = 'later'): Limits {
  const limits = LIMITS.map(({ name, default: byDefault }) => [
    name,
    given[name] ?? (run === 'first' && GROWTHS.has(name) ? Number.POSITIVE_INFINITY : byDefault),
  ]);
  return Object.fromEntries(limits);
}

/** The values that a limit may have, where this is none of them. */
function allowedFor({ name, unit }: Limit, value: number) {
  const grows = GROWTHS.has(name);
  const isPercent = unit === 'percent';
  const isWhole = isPercent ? Number.isFinite(value) : Number.isSafeInteger(value);
  const most = isPercent && !grows ? 100 : Number.POSITIVE_INFINITY;
  if (isWhole && value >= 0 && value <= most) return undefined;
  return isPercent ? `a percentage from 0${grows ? '' : ' to 100'}` : 'a whole number from 0';
}

const PREFIX = 'limit.';

type LimitOption = OptionDeclaration<z.ZodNumber> & { readonly kept: string };

/** The limits as options: `limit.groupRemovals`, which is kept as `groupRemovals`. */
export const LIMIT_OPTIONS = Object.fromEntries(
  LIMITS.map((limit): [string, LimitOption] => [
    `${PREFIX}${limit.name}`,
    {
      kept: limit.name,
      schema: z.number(),
      value: '<n>',
      help: `guards: ${limit.why}`,
      preset: `${limit.default}${limit.unit === 'percent' ? ' (percent)' : ''}`,
      parse: (text) => {
        const value = /^\d+(\.\d+)?%?$/.test(text.trim()) ? Number.parseFloat(text) : Number.NaN;
        const allowed = allowedFor(limit, value);
        if (allowed !== undefined) throw badUsage(allowed);
        return value;
      },
      print: (value) => [String(value)],
    },
  ]),
) as Readonly<Record<`limit.${LimitName}`, LimitOption>>;

const NAMES = Object.keys(TABLE).join(', ');

/** One of them on the command line: `groupRemovals=5`. */
export const LIMIT_FLAG = {
  value: '<name=value>',
  help: `the limit of a guard; repeat for more: ${NAMES}`,
  parse: (text: string): Given<typeof LIMIT_OPTIONS> => {
    const [name = '', value = ''] = text.split('=').map((part) => part.trim());
    const limits: Options = LIMIT_OPTIONS;
    const declared = limits[`${PREFIX}${name}`];
    if (declared !== undefined) return { [`${PREFIX}${name}`]: declared.parse(value) };
    throw badUsage(
      `name=value, for example groupRemovalsPercent=30; ${JSON.stringify(name)} is not a limit of a guard; allowed are ${NAMES}`,
    );
  },
  repeats: true,
} as const;
