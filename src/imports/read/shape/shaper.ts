import type { Columns, Field } from '../columns.ts';
import { notText } from '../element.ts';
import {
  type InputRow,
  NO_PROBLEMS,
  noMembership,
  type RowProblem,
  shortValue,
  tooManyMemberships,
} from '../input-row.ts';
import { shown } from '../intake-error.ts';
import { MembershipReader, type RowDefaults, type RowReading } from '../membership-row.ts';
import type { Person, Plan } from './compile.ts';
import type { Cells, Source } from './field-sources.ts';
import type { Group, Lookups } from './groups.ts';

/** One membership of a row, before it is checked. */
interface Requested {
  readonly person: Person;
  readonly group: Group;
  readonly cells: Cells;
  readonly scope: string;
  readonly people: Plan['people'][number];
}

/**
 * Makes the memberships of one row after the other. A row gives at least one entry, so that every row has an outcome: its
 * memberships, or one entry that says why there is none.
 */
export class Shaper {
  readonly #columns: Columns;
  readonly #reader: MembershipReader;
  readonly #lookups: Lookups;
  readonly #most: number;
  /** The sources of the current membership's fields, for messages. */
  readonly #labels: Partial<Record<Field | 'action', string>> = {};
  /** Words for actions that the current row may have, for messages. */
  #allowedActions: readonly string[] = [];

  constructor(defaults: RowDefaults, lookups: Lookups, { columns, bounds }: RowReading) {
    this.#columns = columns;
    this.#lookups = lookups;
    this.#most = bounds.memberships;
    this.#reader = new MembershipReader(
      { nameOf: (field) => this.#labels[field] },
      defaults,
      () => this.#allowedActions,
    );
  }

  /**
   * @param flat gives the cells of the row, several times where it has lists; it is called with the slots that are read
   * @param problems of the whole row: with any, none of its memberships counts
   */
  rows(
    plan: Plan,
    line: number,
    original: string,
    flat: (slots: readonly number[]) => Iterable<Cells>,
    problems: readonly RowProblem[] = NO_PROBLEMS,
  ): InputRow[] {
    const requested: Requested[] = [];
    let why: RowProblem | undefined;
    let isListed = false;
    for (const people of plan.people) {
      let flats = 0;
      for (const cells of flat(people.slots)) {
        flats += 1;
        isListed ||= flats > 1;
        const refused = plan.refusal(cells);
        if (refused !== undefined) {
          why ??= refused;
          continue;
        }
        const found = this.#request(plan, people, cells, requested);
        if (typeof found === 'object') why ??= found;
        if (requested.length > this.#most) return [this.#tooMany(line, original)];
      }
    }
    if (requested.length === 0) return [this.#none(line, original, problems, why)];
    const single = requested.length === 1;
    return requested.map((request, index) => {
      const row = this.#read(plan, request, line, index === 0 ? original : '', problems);
      const value = single ? '' : describedValue(request, isListed);
      const sources = sourcesOf(request);
      return { ...row, shaped: { part: index + 1, value, ...(sources !== undefined && { sources }) } };
    });
  }

  /** Adds what one set of cells asks for; without any, says why. */
  #request(plan: Plan, people: Plan['people'][number], cells: Cells, requested: Requested[]) {
    const persons = people.of(cells);
    const groups = plan.groups.of(cells).flatMap((group) => this.#groupsFor(group));
    if (persons.length === 0) return noMembership(people.source.label, 'it has no user');
    if (groups.length === 0) return noMembership(plan.groups.label ?? 'guid', plan.groups.emptiness);
    let left: string | undefined;
    const own = plan.scope?.read(cells) ?? '';
    for (const group of groups) {
      for (const person of persons) {
        const said = person.scope ?? group.scope ?? own;
        const scope = group.target?.scope ?? (group.isMark ? said : plan.scopeOf(said));
        if (scope === undefined) left ??= said;
        else if (requested.push({ person, group, cells, scope, people }) > this.#most) return undefined;
      }
    }
    return left === undefined
      ? undefined
      : noMembership(plan.scope?.label ?? 'scope', `${shown(left)} is not a membership`, left);
  }

  #read(plan: Plan, request: Requested, line: number, original: string, problems: readonly RowProblem[]): InputRow {
    const { person, group, cells } = request;
    const labels = this.#labels;
    labels.uid = person.label;
    labels.guid = group.label;
    labels.scope = group.scopeLabel ?? plan.scope?.label ?? 'scope';
    labels.region = plan.region?.label ?? 'region';
    labels.onBehalfOf = plan.onBehalfOf?.label ?? 'onBehalfOf';
    labels.action = plan.action?.column ?? 'action';
    this.#allowedActions = plan.action?.allowed ?? [];
    const bad = cells.notText === undefined ? undefined : this.#refuseOthers(plan, request, cells.notText);
    for (const problem of problems) this.#reader.addProblem(problem);
    if (group.problem !== undefined) this.#reader.addProblem(group.problem);
    const action = plan.action?.read(cells);
    return this.#reader.read(
      line,
      original,
      group.target?.region ?? plan.region?.read(cells) ?? '',
      bad?.has('guid') ? '' : group.guid,
      bad?.has('uid') ? '' : this.#uidOf(person),
      action === 'ban' ? 'ban' : request.scope,
      bad?.has('onBehalfOf') ? '' : (plan.onBehalfOf?.read(cells) ?? ''),
      action === 'ban' ? 'add' : action,
    );
  }

  /** Adds the problems of ids that are neither texts nor whole numbers; returns their fields. */
  #refuseOthers(plan: Plan, { people }: Requested, others: ReadonlyMap<number, unknown>) {
    const ids: readonly (readonly [Field, Source | undefined])[] = [
      ['uid', people.source],
      ['guid', plan.groups.source],
      ['onBehalfOf', plan.onBehalfOf],
    ];
    const fields = new Set<Field>();
    for (const [field, source] of ids) {
      const slot = source?.slots.find((one) => others.has(one));
      if (source === undefined || slot === undefined) continue;
      const value = others.get(slot);
      fields.add(field);
      this.#reader.addProblem(notText(field, source.label, value));
    }
    return fields;
  }

  #uidOf({ uid, label }: Person) {
    if (this.#lookups.identities === undefined || uid.trim() === '') return uid;
    const [found] = this.#lookups.identities.find(uid);
    if (found !== undefined) return found.id;
    const reason = `${shown(uid.trim())} is not in the identity file`;
    this.#reader.addProblem({ column: label, value: uid, code: 'UNKNOWN_IDENTITY', reason });
    return '';
  }

  /** The groups that one of the file stands for. An empty one is that of all rows, which is a GUID. */
  #groupsFor(group: Group): readonly Group[] {
    const { groups } = this.#lookups;
    if (groups === undefined || group.guid.trim() === '') return [group];
    const found = groups.find(group.guid);
    const several = group.several || found.length > 1;
    // Two of them may well stand for the same group.
    if (found.length > 0)
      return found.map((target) => ({ ...group, guid: target.id, target, several, derivedFrom: undefined }));
    const reason = `${shown(group.guid.trim())} is not in the group file`;
    const problem = { column: group.label, value: group.guid, code: 'UNKNOWN_GROUP', reason } as const;
    return [{ ...group, guid: '', derivedFrom: undefined, problem: group.problem ?? problem }];
  }

  #none(line: number, original: string, problems: readonly RowProblem[], why: RowProblem | undefined): InputRow {
    const row = this.#empty(line, original);
    if (problems.length > 0) return { ...row, problems };
    const reason = why ?? noMembership(this.#columns.names[0] ?? '', 'a list of it is empty');
    return { ...row, problems: [reason], shaped: { part: 1, value: '', skipped: true } };
  }

  #tooMany(line: number, original: string): InputRow {
    const problem = tooManyMemberships(this.#columns.names[0] ?? '', this.#most);
    return { ...this.#empty(line, original), problems: [problem] };
  }

  /** A row of which no membership is known. */
  #empty(line: number, original: string): InputRow {
    return { line, original, ...this.#reader.noMembership(), problems: NO_PROBLEMS };
  }
}

function describedValue({ person, group }: Requested, listed: boolean) {
  const parts = [
    ...(listed || group.several ? [`${group.label}=${group.value}`] : []),
    ...(listed || person.several ? [`${person.label}=${person.value}`] : []),
  ];
  return shortValue(parts.join(', '));
}

function sourcesOf({ person, group }: Requested): { uid?: string; guid?: string } | undefined {
  if (person.derivedFrom === undefined && group.derivedFrom === undefined) return undefined;
  return {
    ...(person.derivedFrom !== undefined && { uid: person.derivedFrom }),
    ...(group.derivedFrom !== undefined && { guid: group.derivedFrom }),
  };
}
