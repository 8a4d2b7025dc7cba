import type { IntakeNote } from '../../../imports/read/notes.ts';
import { openForReading, statementsOf } from '../../../platform/sqlite.ts';
import type { Finding, GuardFinding, GuardObjections } from '../api-plan.ts';
import { GUARDS, remedyIn } from './plan-guards.ts';
import { PLAN_SCHEMA, type PlanReader, planReader } from './plan-reading.ts';

/** The place of an objection among those of its guard, the worst first. */
export interface FindingPlace {
  readonly value: number;
  readonly id: number;
}

/** Objections of a plan's guards: hundreds of groups are one objection of one guard. */
export interface Findings {
  /** In the order of the guards. */
  guards(): GuardObjections[];
  /** In the order of the guards, with what to do about each. */
  first(limit: number): Finding[];
  /** Objections of a guard behind a place, the worst first. @param search part of a group's GUID; empty: all */
  page(
    request: { readonly guard: string; readonly search: string },
    after: FindingPlace | undefined,
    limit: number,
  ): { readonly findings: GuardFinding[]; readonly next?: FindingPlace };
  /** Number of groups that the service does not know and that are not created. */
  unknownGroups(): number;
  /** On the file of the plan. */
  notes(): readonly IntakeNote[];
  close(): void;
}

const FIRST: FindingPlace = { value: Number.POSITIVE_INFINITY, id: 0 };

/** Opens the findings of the plan at `path`, which must be complete. */
export function openFindings(
  path: string,
  mode: NonNullable<ReturnType<PlanReader['facts']>['flags']>['mode'],
): Findings {
  const database = openForReading(path, PLAN_SCHEMA);
  const sql = statementsOf(database, new URL('findings.sql', import.meta.url));
  const findingOf = ({ id, value, ...row }: Row): GuardFinding & FindingPlace => {
    const { guard, region, guid, allowed: limit, sentence, members } = row;
    const remedy = GUARDS.find(({ name }) => name === guard);
    const ending = remedy === undefined ? '' : ` ${remedyIn(remedy, mode)}.`;
    const what = sentence.endsWith(ending) ? sentence.slice(0, sentence.length - ending.length) : sentence;
    return { id, guard, region, guid, value, limit, members, sentence: what };
  };
  return {
    guards: () =>
      sql<Count>('guard_counts')
        .all()
        .map(({ guard: name, count, total, worst }) => {
          const guard = GUARDS.find((one) => one.name === name);
          const { id: _, ...found } = findingOf(sql<Row>('finding').get({ id: worst }) as Row);
          const remedy = guard === undefined ? '' : `${remedyIn(guard, mode)}.`;
          return { guard: name, meaning: guard?.meaning ?? '', remedy, count, total, worst: found };
        }),
    first: (limit) =>
      sql<Omit<Finding, 'limit'> & { readonly allowed: number }>('first_findings')
        .all({ limit })
        .map(({ allowed, ...finding }) => ({ ...finding, limit: allowed })),
    page: ({ guard, search }, after = FIRST, limit) => {
      // One more than asked for tells whether there is a next page.
      const rows = sql<Row>('findings_page').all({ guard, search, ...after, limit: limit + 1 });
      const findings = rows.slice(0, limit).map((row) => findingOf(row));
      const last = findings.at(-1);
      const page = findings.map(({ id: _, ...finding }) => finding);
      return rows.length > limit && last !== undefined
        ? { findings: page, next: { value: last.value, id: last.id } }
        : { findings: page };
    },
    unknownGroups: () => Number(sql('unknown_groups').get()?.['groups'] ?? 0),
    notes: () => planReader(database).facts().notes,
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

interface Count {
  readonly guard: string;
  readonly count: number;
  readonly total: number;
  readonly worst: number;
}

interface Row extends Pick<GuardFinding, 'guard' | 'region' | 'guid' | 'value' | 'sentence' | 'members'> {
  readonly id: number;
  readonly allowed: number;
}
