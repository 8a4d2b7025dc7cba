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
import { type MembershipReader, membershipReader, type RowDefaults, type RowReading } from '../membership-row.ts';
import type { Plan } from './compile.ts';
import type { Cells } from './field-sources.ts';
import { type Lookups, lookedUp, type Parties, type Party } from './parties.ts';

/** One membership of a row, before it is checked. */
interface Requested {
  readonly plan: Plan;
  readonly person: Party;
  readonly group: Party;
  readonly cells: Cells;
  readonly scope: string;
  readonly people: Parties;
}

/** Makes memberships of rows. A row gives at least one entry, so that it has an outcome: one may say why there is none. */
export function openShaper(defaults: RowDefaults, lookups: Lookups, { columns, bounds }: RowReading) {
  /** The membership that is read now, for messages. */
  let current: Requested | undefined;
  const nameOf = (field: Field | 'action') => current && columnOf(current, field);
  const reader = membershipReader({ nameOf }, defaults, () => current?.plan.action?.allowed ?? []);
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
    const none = (reasons: readonly RowProblem[]) => ({ line, original, ...reader.none, problems: reasons });
    let why: RowProblem | undefined;
    let isListed = false;
    for (const people of plan.people) {
      let flats = 0;
      for (const cells of flat(people.slots)) {
        flats += 1;
        isListed ||= flats > 1;
        const reason = plan.refusal(cells) ?? ask(plan, people, cells, requested);
        why ??= reason;
        if (requested.length > most) return [none([tooManyMemberships(columns.names[0] ?? '', most)])];
      }
    }
    if (requested.length === 0) {
      if (problems.length > 0) return [none(problems)];
      why ??= noMembership(columns.names[0] ?? '', 'a list of it is empty');
      return [{ ...none([why]), shaped: { part: 1, value: '', skipped: true } }];
    }
    return requested.map((request, index) => {
      const row = checked(request, line, index === 0 ? original : '', problems);
      const value = requested.length === 1 ? '' : describedValue(request, isListed);
      const sources = { uid: request.person.derivedFrom, guid: request.group.derivedFrom };
      return { ...row, shaped: { part: index + 1, value, sources } };
    });
  }

  /** Adds what one set of cells asks for; without any, says why. */
  function ask(plan: Plan, people: Parties, cells: Cells, requested: Requested[]) {
    const { groups, scope, scopeOf } = plan;
    const persons = people.of(cells);
    const all = groups.of(cells).flatMap((group) => lookedUp(group, 'groups', lookups));
    if (persons.length === 0) return noMembership(people.label ?? 'uid', people.emptiness);
    if (all.length === 0) return noMembership(groups.label ?? 'guid', groups.emptiness);
    let left: string | undefined;
    const own = scope?.read(cells) ?? '';
    for (const group of all) {
      for (const person of persons) {
        const said = person.scope ?? group.scope ?? own;
        const meant = group.target?.scope ?? (group.isMark ? said : scopeOf(said));
        if (meant === undefined) left ??= said;
        else if (requested.push({ plan, person, group, cells, scope: meant, people }) > most) return undefined;
      }
    }
    return left === undefined
      ? undefined
      : noMembership(scope?.label ?? 'scope', `${shown(left)} is not a membership`, left);
  }

  function checked(request: Requested, line: number, original: string, problems: readonly RowProblem[]) {
    current = request;
    const { plan, group, cells, scope } = request;
    const { shared } = plan;
    const bad = cells.notText === undefined ? undefined : refuseOthers(request, cells.notText, reader);
    const [person = request.person] = bad?.has('uid') ? [] : lookedUp(request.person, 'identities', lookups);
    for (const problem of problems) reader.addProblem(problem);
    for (const { problem } of [group, person]) if (problem !== undefined) reader.addProblem(problem);
    const action = plan.action?.read(cells);
    return reader.read(
      line,
      original,
      group.target?.region ?? shared.region?.read(cells) ?? '',
      bad?.has('guid') ? '' : group.id,
      bad?.has('uid') ? '' : person.id,
      action === 'ban' ? 'ban' : scope,
      bad?.has('onBehalfOf') ? '' : (shared.onBehalfOf?.read(cells) ?? ''),
      shared.joinedAt?.read(cells) ?? '',
      action === 'ban' ? 'add' : action,
      shared.until?.read(cells),
    );
  }

  return rows;
}

/** The column, or template, of a field of a membership. */
function columnOf({ plan: { shared, scope, action }, person, group }: Requested, field: Field | 'action') {
  switch (field) {
    case 'uid':
      return person.label;
    case 'guid':
      return group.label;
    case 'scope':
      return group.scopeLabel ?? scope?.label;
    case 'action':
      return action?.column;
    default:
      return shared[field]?.label;
  }
}

/** Adds the problems of ids that are neither texts nor whole numbers; returns their fields. */
function refuseOthers(
  { plan: { shared, groups }, people }: Requested,
  others: ReadonlyMap<number, unknown>,
  reader: MembershipReader,
) {
  const ids = { uid: people.source, guid: groups.source, onBehalfOf: shared.onBehalfOf };
  const fields = new Set<Field>();
  for (const field of ['uid', 'guid', 'onBehalfOf'] as const) {
    const { [field]: source } = ids;
    const slot = source?.slots.find((one) => others.has(one));
    if (source === undefined || slot === undefined) continue;
    fields.add(field);
    reader.addProblem(notText(field, source.label, others.get(slot)));
  }
  return fields;
}

function describedValue({ person, group }: Requested, listed: boolean) {
  const several = [group, person].filter((party) => listed || party.several);
  return shortValue(several.map(({ label, value }) => `${label}=${value}`).join(', '));
}
