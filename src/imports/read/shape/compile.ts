import { ACTION_MEANINGS } from '../../../membership/membership.ts';
import type { Shape } from '../../../options/shape.ts';
import { defined } from '../../../platform/defined.ts';
import { FIELDS, type Field } from '../columns.ts';
import type { RowProblem } from '../input-row.ts';
import { badShape, intakeError, listed, shown } from '../intake-error.ts';
import { type Cells, type FieldSources, openSource, type Source } from './field-sources.ts';
import {
  actionWords,
  checkSplits,
  type Groups,
  isNumbered,
  type Layout,
  numberedGroups,
  oneGroup,
  pieces,
  refusalOf,
  scopeWords,
  wideGroups,
} from './groups.ts';

/** The way from rows to memberships, with every column resolved. */
export interface Plan {
  readonly region: Source | undefined;
  readonly onBehalfOf: Source | undefined;
  readonly joinedAt: Source | undefined;
  readonly until: Source | undefined;
  readonly scope: Source | undefined;
  /** Returns the meaning of a scope word; undefined: no membership. */
  readonly scopeOf: ReturnType<typeof scopeWords>;
  readonly people: readonly People[];
  readonly groups: Groups;
  readonly action: ReturnType<typeof actionOf> | undefined;
  /** The slots of neither users nor groups: an empty list there is no value, as `null` is. */
  readonly optional: ReadonlySet<number>;
  /** Returns the problem for which a row is left out; undefined if it is not. */
  refusal(cells: Cells): RowProblem | undefined;
}

/** Users of a row: one, several in a cell, or a list for one scope. */
interface People {
  readonly source: Source;
  /** Every slot that is read together with them. */
  readonly slots: readonly number[];
  /** The users of a row; none where a list is empty. */
  of(cells: Cells): Person[];
}

export interface Person {
  readonly uid: string;
  /** The text in the file. */
  readonly value: string;
  readonly label: string;
  readonly scope: string | undefined;
  /** One of several in its row. */
  readonly several: boolean;
  readonly derivedFrom: string | undefined;
}

/** Finds every column of a shape. @throws IntakeError UNKNOWN_COLUMN, AMBIGUOUS_COLUMN, BAD_SHAPE */
export function compile(shape: Shape, sources: FieldSources, layout: Layout): Plan {
  const { columns, slotOf, has } = layout;
  const open = (field: Field): Source | undefined => {
    const said = sources[field];
    const flag = said?.kind === 'template' ? `the template of the ${field}` : `the ${field}`;
    if (said !== undefined) return openSource(said, flag, slotOf, has);
    const name = columns.nameOf(field);
    return name === undefined ? undefined : openSource({ kind: 'columns', columns: [name] }, field, slotOf, () => true);
  };
  const [region, onBehalfOf, joinedAt, until] = [open('region'), open('onBehalfOf'), open('joinedAt'), open('until')];
  const scope = open('scope');
  const where = (shape.where ?? [])
    .filter((one) => !isNumbered(one, shape, has))
    .map((condition) => ({ condition, slot: slotOf(condition.column, 'a condition') }));
  const action = shape.actions && actionOf(shape.actions, layout);
  const shared = [
    ...[region, onBehalfOf, joinedAt, until, scope].flatMap((source) => source?.slots ?? []),
    ...where.map(({ slot }) => slot),
    ...(action === undefined ? [] : [action.slot]),
  ];
  const people = shape.lists === undefined ? onePerson(shape, open('uid')) : lists(shape, sources, layout);
  const ofPeople = people.flatMap(({ slots }) => slots);
  const groups = groupsOf(shape, sources, layout, [...shared, ...ofPeople], () => oneGroup(shape, open('guid'), scope));
  const unmet = refusalOf(where);
  return {
    region,
    onBehalfOf,
    joinedAt,
    until,
    scope: groups.haveScopes ? undefined : scope,
    scopeOf: scopeWords(shape.scopeWords),
    people: people.map((one) => ({ ...one, slots: [...new Set([...shared, ...one.slots, ...groups.slots])] })),
    groups,
    action,
    optional: new Set(shared).difference(new Set([...ofPeople, ...groups.slots])),
    refusal: (cells) => unmet(cells) ?? action?.none(cells),
  };
}

/** The action that each row asks for. */
function actionOf({ column, words = {} }: NonNullable<Shape['actions']>, { slotOf }: Layout) {
  const slot = slotOf(column, 'the action of each row');
  const wordOf = actionWords(words);
  const read = (cells: Cells) => wordOf(cells[slot] ?? '');
  return {
    column,
    slot,
    allowed: [...new Set([...ACTION_MEANINGS, ...Object.keys(words)])],
    read,
    none: (cells: Cells): RowProblem | undefined => {
      const value = cells[slot] ?? '';
      const reason = `${shown(value.trim())} asks for nothing to be done`;
      return read(cells) === 'none' ? { column, value, code: 'FILTERED', reason } : undefined;
    },
  };
}

function onePerson({ split }: Shape, source: Source | undefined): People[] {
  if (source === undefined) return [];
  checkSplits(source, split?.uid, 'uid');
  return [peopleIn(source, split?.uid, split?.uid !== undefined)];
}

function lists({ lists: byScope = {}, split }: Shape, { uid }: FieldSources, { slotOf, has }: Layout): People[] {
  if (uid?.kind === 'columns') {
    throw badShape('the lists and the mapped uid both say where the users are', 'Give one of them');
  }
  return Object.entries(byScope).flatMap(([scope, names = []]) =>
    names.map((name) => {
      const source = openSource({ kind: 'columns', columns: [name] }, 'a list of users', slotOf, has);
      const each = uid && openSource(uid, 'the template of the uid', slotOf, has);
      return peopleIn(source, split?.uid, true, { each, scope });
    }),
  );
}

/**
 * @param isList an empty cell means no user, instead of a problem
 * @param each derives the UID of what is in a list
 */
function peopleIn(
  source: Source,
  separator: string | undefined,
  isList: boolean,
  { each, scope }: { readonly each?: Source | undefined; readonly scope?: string } = {},
): People {
  const { label, raw } = source;
  const reading = each ?? source;
  return {
    source,
    slots: [...source.slots, ...(each?.slots ?? [])],
    of: (cells) =>
      (isList ? pieces(raw(cells), separator) : [undefined]).map((piece) => ({
        uid: reading.read(cells, piece),
        value: raw(cells, piece).trim(),
        label,
        scope,
        several: piece !== undefined,
        derivedFrom: reading.derives ? reading.raw(cells, piece) : undefined,
      })),
  };
}

function groupsOf(
  shape: Shape,
  { guid }: FieldSources,
  layout: Layout,
  used: readonly number[],
  one: () => Groups,
): Groups {
  const { wide, numbered } = shape;
  if ((wide ?? numbered) !== undefined && guid?.kind === 'columns') {
    const kind = wide === undefined ? 'numbered' : 'wide';
    throw badShape(`the ${kind} columns and the mapped guid both say where the groups are`, 'Give one of them');
  }
  if (wide !== undefined) return wideGroups(shape, wide, layout, used);
  return numbered === undefined ? one() : numberedGroups(shape, numbered, guid, layout);
}

/** Fields that a shape reads from somewhere else than a column that is recognised by its name. */
export function sourcedFields(shape: Shape, sources: FieldSources): ReadonlySet<Field> {
  const sourced = new Set(FIELDS.filter((field) => sources[field] !== undefined));
  if (shape.lists !== undefined) sourced.add('uid');
  if ((shape.wide ?? shape.numbered) !== undefined) sourced.add('guid');
  return sourced;
}

/** Returns the source of each field in the plan, as the report and the preview show it. */
export function recognisedBy({ region, onBehalfOf, joinedAt, until, scope, people, groups }: Plan) {
  const users = new Set(people.map(({ source }) => source.label));
  return defined({
    region: region?.label,
    guid: groups.label,
    uid: users.size === 0 ? undefined : [...users].join(', '),
    scope: scope?.label,
    onBehalfOf: onBehalfOf?.label,
    joinedAt: joinedAt?.label,
    until: until?.label,
  });
}

/** Throws where a pattern fits no column. */
export function requireMatches({ wide, numbered }: Shape, { groups }: Plan, names: readonly string[]) {
  if ((wide ?? numbered) === undefined || groups.slots.length > 0) return;
  const pattern = wide === undefined ? shown(numbered?.guid ?? '') : listed(wide.columns);
  throw intakeError(
    'UNKNOWN_COLUMN',
    `no column is called ${pattern}; the columns are ${listed(names)}`,
    wide !== undefined ? 'Name the columns that are groups; * means any text' : 'Write # where the number is',
    { column: pattern },
  );
}
