import type { Field } from '../columns.ts';
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

/** Fields that all memberships of a row have from the same place. */
const SHARED = ['region', 'onBehalfOf', 'joinedAt', 'until'] as const;

/**
 * Makes the memberships of one row after the other. A row gives at least one entry, so that every row has an outcome: its
 * memberships, or one entry that says why there is none.
 */
export function openShaper(defaults: RowDefaults, lookups: Lookups, { columns, bounds }: RowReading) {
  /** The sources of the current membership's fields, for messages. */
  const labels: Partial<Record<Field | 'action', string>> = {};
  /** Words for actions that the current row may have, for messages. */
  let allowedActions: readonly string[] = [];
  const reader = new MembershipReader({ nameOf: (field) => labels[field] }, defaults, () => allowedActions);
  const most = bounds.memberships;

  /**
   * @param flat gives the cells of the row, several times where it has lists; it is called with the slots that are read
   * @param problems of the whole row: with any, none of its memberships counts
   */
  function rows(
    plan: Plan,
    line: number,
    original: string,
    flat: (slots: readonly number[]) => Iterable<Cells>,
    problems: readonly RowProblem[] = NO_PROBLEMS,
  ): InputRow[] {
    const requested: Requested[] = [];
    /** A row of which no membership is known. */
    const none = (reasons: readonly RowProblem[]): InputRow => ({
      line,
      original,
      ...reader.noMembership(),
      problems: reasons,
    });
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
        const found = ask(plan, people, cells, lookups, { requested, most });
        if (typeof found === 'object') why ??= found;
        if (requested.length > most) return [none([tooManyMemberships(columns.names[0] ?? '', most)])];
      }
    }
    if (requested.length === 0) {
      if (problems.length > 0) return [none(problems)];
      why ??= noMembership(columns.names[0] ?? '', 'a list of it is empty');
      return [{ ...none([why]), shaped: { part: 1, value: '', skipped: true } }];
    }
    const single = requested.length === 1;
    return requested.map((request, index) => {
      const row = checked(plan, request, line, index === 0 ? original : '', problems);
      const value = single ? '' : describedValue(request, isListed);
      const sources = sourcesOf(request);
      return { ...row, shaped: { part: index + 1, value, ...(sources !== undefined && { sources }) } };
    });
  }

  function checked(
    plan: Plan,
    request: Requested,
    line: number,
    original: string,
    problems: readonly RowProblem[],
  ): InputRow {
    const { person, group, cells } = request;
    labels.uid = person.label;
    labels.guid = group.label;
    labels.scope = group.scopeLabel ?? plan.scope?.label ?? 'scope';
    for (const field of SHARED) labels[field] = plan[field]?.label ?? field;
    labels.action = plan.action?.column ?? 'action';
    allowedActions = plan.action?.allowed ?? [];
    const bad = cells.notText === undefined ? undefined : refuseOthers(plan, request, cells.notText, reader);
    for (const problem of problems) reader.addProblem(problem);
    if (group.problem !== undefined) reader.addProblem(group.problem);
    const action = plan.action?.read(cells);
    return reader.read(
      line,
      original,
      group.target?.region ?? plan.region?.read(cells) ?? '',
      bad?.has('guid') ? '' : group.guid,
      bad?.has('uid') ? '' : uidOf(person, lookups, reader),
      action === 'ban' ? 'ban' : request.scope,
      bad?.has('onBehalfOf') ? '' : (plan.onBehalfOf?.read(cells) ?? ''),
      plan.joinedAt?.read(cells) ?? '',
      action === 'ban' ? 'add' : action,
      plan.until?.read(cells),
    );
  }

  return rows;
}

/** Adds what one set of cells asks for; without any, says why. */
function ask(
  plan: Plan,
  people: Plan['people'][number],
  cells: Cells,
  lookups: Lookups,
  { requested, most }: { readonly requested: Requested[]; readonly most: number },
) {
  const persons = people.of(cells);
  const groups = plan.groups.of(cells).flatMap((group) => groupsFor(group, lookups));
  if (persons.length === 0) return noMembership(people.source.label, 'it has no user');
  if (groups.length === 0) return noMembership(plan.groups.label ?? 'guid', plan.groups.emptiness);
  let left: string | undefined;
  const own = plan.scope?.read(cells) ?? '';
  for (const group of groups) {
    for (const person of persons) {
      const said = person.scope ?? group.scope ?? own;
      const scope = group.target?.scope ?? (group.isMark ? said : plan.scopeOf(said));
      if (scope === undefined) left ??= said;
      else if (requested.push({ person, group, cells, scope, people }) > most) return undefined;
    }
  }
  return left === undefined
    ? undefined
    : noMembership(plan.scope?.label ?? 'scope', `${shown(left)} is not a membership`, left);
}

/** Adds the problems of ids that are neither texts nor whole numbers; returns their fields. */
function refuseOthers(
  plan: Plan,
  { people }: Requested,
  others: ReadonlyMap<number, unknown>,
  reader: MembershipReader,
) {
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
    reader.addProblem(notText(field, source.label, value));
  }
  return fields;
}

/** The user that one of the identity file stands for. */
function uidOf({ uid, label }: Person, { identities }: Lookups, reader: MembershipReader) {
  if (identities === undefined || uid.trim() === '') return uid;
  const [found] = identities.find(uid);
  if (found !== undefined) return found.id;
  const reason = `${shown(uid.trim())} is not in the identity file`;
  reader.addProblem({ column: label, value: uid, code: 'UNKNOWN_IDENTITY', reason });
  return '';
}

/** The groups that one of the file stands for. An empty one is that of all rows, which is a GUID. */
function groupsFor(group: Group, { groups }: Lookups): readonly Group[] {
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
