import type { PlanFlags } from '../../../api/sync-entry.ts';
import { counted, grouped, sumOf } from '../../../text/wording.ts';
import type { PlanGroup } from '../api.ts';
import type { Limits } from '../guard-limits.ts';
import { type GroupName, groupKey, type PlanFacts, type PlanReader } from './plan-reading.ts';
import type { PlanCreating } from './plan-totals.ts';

export interface GuardFacts {
  readonly mode: PlanFlags['mode'];
  /** Default: as if no one is asked. */
  readonly left?: PlanFlags['left'];
  readonly source: Pick<PlanFacts, 'rows' | 'invalid' | 'fields'>;
  readonly groups: readonly PlanGroup[];
  /** Absent where nothing may be created. */
  readonly creating?: PlanCreating | undefined;
  /** Absent where this is the first run. */
  readonly previous?: PreviousRun | undefined;
}

/** Reads a stored plan as the run with which the guards compare the next one: the members of its groups when it had been applied. */
export function previousRun(plan: PlanReader) {
  const { rows, fields } = plan.facts();
  const groups = plan
    .groups()
    .map(({ region, guid, members, actions, leaving }) => ({ region, guid, members: members + actions.add - leaving }));
  return { rows, fields, groups };
}
export type PreviousRun = ReturnType<typeof previousRun>;

/** An objection; the guard's name and remedy are added to it. */
interface Objection extends Partial<GroupName> {
  readonly value: number;
  readonly limit: number;
  /** A sentence without its full stop. */
  readonly what: string;
}

export interface Guard {
  readonly name: string;
  /** The danger that it guards against, in a sentence. */
  readonly meaning: string;
  readonly modes: ReadonlySet<PlanFlags['mode']>;
  /** The advice after an objection. */
  readonly remedy: string;
  /** @param first limits for what has no run before to be compared with */
  readonly check: (facts: GuardFacts, limits: Limits, first: Limits) => readonly Objection[];
  /** For an undo, only groups that others have changed since are checked: in the rest it only takes back its own. */
  readonly sparesOwn?: true;
}

export const ALL = new Set<PlanFlags['mode']>(['add', 'mirror', 'undo', 'expiry']);
export const WITH_FILE = new Set<PlanFlags['mode']>(['add', 'mirror']);
export const MIRROR = new Set<PlanFlags['mode']>(['mirror']);

export const LOOK = 'Look at the plan: approve it if it is right, fix the file if it is not';
export const GET_WHOLE_FILE = 'Make sure that the file is complete, and approve the plan if it is';

/** An objection to a value above its limit. */
export function above(limit: number, value: number, what: string) {
  return value > limit ? [{ value, limit, what }] : [];
}

/** An objection to each of some groups where they are more than the limit. */
export function tooMany<Group extends GroupName>(
  limit: number,
  groups: readonly Group[],
  what: (group: Group) => string,
) {
  const value = groups.length;
  if (value <= limit) return [];
  return groups.map((group) => ({ region: group.region, guid: group.guid, value, limit, what: what(group) }));
}

function share(whole: number, percent: number) {
  return percent === Number.POSITIVE_INFINITY ? percent : Math.floor((whole * percent) / 100);
}

function percentOf(part: number, whole: number) {
  return `${grouped(Number(((part / whole) * 100).toFixed(1)))} %`;
}

export function allowed(limit: number) {
  if (limit === 0) return 'none is allowed';
  return limit === 1 ? '1 is allowed' : `${grouped(limit)} are allowed`;
}

/** Guards against too much at once: too many members who lose or gain something, a file that is too short or too long. */

/** A group, and its members after the last run: 0 where that had none in it. */
interface Judged {
  readonly group: PlanGroup;
  readonly before: number;
}

/** Moves of members that can be too many, each counted in a group. */
const MOVES = [
  {
    name: 'removals',
    limit: 'Removals',
    done: 'removed, banned or lowered',
    modes: ALL,
    count: ({ group: { leaving, lowered } }: Judged) => leaving + lowered,
    members: ({ group }: Judged) => group.members,
    sentence: (value: number, members: number) =>
      `${grouped(value)} of ${counted(members, 'member')} (${percentOf(value, members)}) would be removed, banned or lowered`,
  },
  {
    name: 'additions',
    limit: 'Additions',
    done: 'added or raised',
    modes: WITH_FILE,
    // Whom the last run wanted is no growth: that run could not add them, or they have left since.
    count: ({ group, before }: Judged) =>
      gainsOf(group) - Math.min(group.actions.add, Math.max(0, before - group.members)),
    members: ({ group, before }: Judged) => Math.max(group.members, before),
    sentence: (value: number, members: number) =>
      `${counted(value, 'member')} would be added or raised, beside ${grouped(members)}`,
  },
] as const;

/** Members are counted in parts of a plan: group by group, region by region, or all together. */
const LEVELS = [
  {
    level: 'group',
    small: 'Group',
    of: 'one group',
    parts: (all: readonly Judged[]) =>
      all.map((one) => ({ region: one.group.region, guid: one.group.guid, judged: [one] })),
  },
  {
    level: 'region',
    small: 'Total',
    of: 'the groups of one region',
    parts: (all: readonly Judged[]) =>
      [...Map.groupBy(all, ({ group }) => group.region)].map(([region, judged]) => ({ region, judged })),
  },
  { level: 'run', small: 'Total', of: 'all groups', parts: (all: readonly Judged[]) => [{ judged: all }] },
] as const;

export const MEMBER_GUARDS: readonly Guard[] = MOVES.flatMap((move) =>
  LEVELS.map(({ level, small, of, parts }) => ({
    name: `${level}-${move.name}`,
    meaning: `Too many members of ${of} would be ${move.done}.`,
    modes: move.modes,
    remedy: LOOK,
    sparesOwn: true,
    check: ({ groups, previous }, limits, first) => {
      const before = new Map(previous?.groups.map((group) => [groupKey(group), group.members]));
      const all = groups.map((group) => ({ group, before: before.get(groupKey(group)) ?? 0 }));
      return parts(all).flatMap(({ judged, ...place }) => {
        // A group without members then has its first run now; the region and the run count those that it gains.
        const isFirst = previous === undefined || (level === 'group' && judged.every((one) => one.before === 0));
        const rule: Limits = isFirst ? first : limits;
        const smallest = rule[`small${small}`];
        const members = sumOf(judged.map(move.members));
        const value = sumOf(judged.map(move.count));
        const isSmall = members < smallest;
        const part = isSmall
          ? rule[`small${small}${move.limit}`]
          : share(members, rule[`${level}${move.limit}Percent`]);
        const limit = Math.min(rule[`${level}${move.limit}`], part);
        const below = isSmall && limit === part ? ` below ${counted(smallest, 'member')}` : '';
        const what = `${move.sentence(value, members)}; ${allowed(limit)}${below}`;
        return above(limit, value, what).map((objection) => ({ ...place, ...objection }));
      });
    },
  })),
);

export const ROW_GUARDS: readonly Guard[] = (
  [
    {
      limit: 'shrunk',
      than: 'shorter',
      few: 'fewer',
      sign: -1,
      matters: () => true,
      modes: MIRROR,
      remedy: GET_WHOLE_FILE,
    },
    {
      limit: 'grown',
      than: 'longer',
      few: 'more',
      sign: 1,
      // Rows of members who are there already are no growth of a group.
      matters: (groups: readonly PlanGroup[]) => groups.some((group) => gainsOf(group) > 0),
      modes: WITH_FILE,
      remedy: 'Make sure that the new rows are meant, and approve the plan if they are',
    },
  ] as const
).map(({ limit: name, than, few, sign, matters, modes, remedy }) => ({
  name: `${name}-file`,
  meaning: `The file is much ${than} than in the last run.`,
  modes,
  remedy,
  check: ({ source: { rows }, groups, previous }, limits) => {
    if (previous === undefined || !matters(groups)) return [];
    const limit = Math.max(limits[`${name}Rows`], share(previous.rows, limits[`${name}Percent`]));
    const value = (rows - previous.rows) * sign;
    const what = `the file has ${counted(rows, 'row')}, ${percentOf(value, previous.rows)} ${few} than the ${grouped(previous.rows)} of the last run; ${grouped(limit)} ${few} are allowed`;
    return above(limit, value, what);
  },
}));

/** Returns how many users would be added or get a higher scope. */
export function gainsOf({ actions, lowered }: PlanGroup) {
  return actions.add + actions.change - lowered;
}
