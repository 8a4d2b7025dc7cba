import { ACTION_MEANINGS } from '../../../membership/membership.ts';
import type { Shape } from '../../../options/shape.ts';
import { defined } from '../../../platform/defined.ts';
import { FIELDS, type Field } from '../columns.ts';
import type { RowProblem } from '../input-row.ts';
import { badShape, intakeError, listed, shown } from '../intake-error.ts';
import { type Cells, type FieldSources, type Layout, openSource, type Source } from './field-sources.ts';
import { actionWords, isNumbered, numberedGroups, oneGroup, refusalOf, scopeWords, wideGroups } from './groups.ts';
import { inSource, type Parties } from './parties.ts';

/** Fields that all memberships of a row have from the same place. */
const SHARED = ['region', 'onBehalfOf', 'joinedAt', 'until'] as const;

/** The way from rows to memberships, with every column resolved. */
export interface Plan {
  readonly shared: Readonly<Record<(typeof SHARED)[number], Source | undefined>>;
  readonly scope: Source | undefined;
  /** Returns the meaning of a scope word; undefined: no membership. */
  readonly scopeOf: ReturnType<typeof scopeWords>;
  /** Users of a row: one, several in a cell, or a list for one scope; with every slot that is read together with them. */
  readonly people: readonly Parties[];
  readonly groups: Parties;
  readonly action: ReturnType<typeof actionOf> | undefined;
  /** The slots of neither users nor groups: an empty list there is no value, as `null` is. */
  readonly optional: ReadonlySet<number>;
  /** Returns the problem for which a row is left out; undefined if it is not. */
  refusal(cells: Cells): RowProblem | undefined;
}

/** Finds every column of a shape. @throws IntakeError UNKNOWN_COLUMN, AMBIGUOUS_COLUMN, BAD_SHAPE */
export function compile(shape: Shape, sources: FieldSources, layout: Layout): Plan {
  const { columns, slotOf, has } = layout;
  const { split, lists, wide, numbered } = shape;
  const open = (field: Field): Source | undefined => {
    const said = sources[field];
    const flag = said?.template === undefined ? `the ${field}` : `the template of the ${field}`;
    if (said !== undefined) return openSource(said, flag, layout);
    const name = columns.nameOf(field);
    return name === undefined ? undefined : openSource({ columns: [name] }, field, layout);
  };
  const shared = Object.fromEntries(SHARED.map((field) => [field, open(field)])) as Plan['shared'];
  const scope = open('scope');
  const where = (shape.where ?? [])
    .filter((one) => !isNumbered(one, shape, has))
    .map((condition) => ({ condition, slot: slotOf(condition.column, 'a condition') }));
  const action = shape.actions && actionOf(shape.actions, layout);
  const ofRow = [
    ...[...Object.values(shared), scope].flatMap((source) => source?.slots ?? []),
    ...where.map(({ slot }) => slot),
    ...(action === undefined ? [] : [action.slot]),
  ];

  /** A template, if one makes the ids of what is elsewhere. */
  const templateOf = (field: 'uid' | 'guid', elsewhere: string, things: string) => {
    const source = sources[field];
    if (source === undefined || source.template !== undefined) return source;
    throw badShape(`the ${elsewhere} and the mapped ${field} both say where the ${things} are`, 'Give one of them');
  };
  const separator = split?.uid;
  const peopleOf = (): Parties[] => {
    if (lists === undefined) {
      const source = open('uid');
      return source === undefined ? [] : [inSource(source, { field: 'uid', separator })];
    }
    const template = templateOf('uid', 'lists', 'users');
    return Object.entries(lists).flatMap(([scopeOfList, names = []]) =>
      names.map((name) => {
        const source = openSource({ columns: [name] }, 'a list of users', layout);
        const each = template && openSource(template, 'the template of the uid', layout);
        return inSource(source, { field: 'uid', separator, isList: true, each, scope: scopeOfList });
      }),
    );
  };
  const people = peopleOf();
  const ofPeople = people.flatMap(({ slots }) => slots);

  const hasScopes = split?.scope !== undefined && (wide ?? numbered) === undefined;
  const groupsOf = () => {
    const template =
      wide || numbered ? templateOf('guid', `${wide ? 'wide' : 'numbered'} columns`, 'groups') : undefined;
    if (wide !== undefined) return wideGroups(shape, wide, layout, [...ofRow, ...ofPeople]);
    if (numbered !== undefined) return numberedGroups(shape, numbered, template?.template?.text, layout);
    return oneGroup(shape, open('guid'), hasScopes ? scope : undefined);
  };
  const groups = groupsOf();

  const unmet = refusalOf(where);
  return {
    shared,
    scope: hasScopes ? undefined : scope,
    scopeOf: scopeWords(shape.scopeWords),
    people: people.map((one) => ({ ...one, slots: [...new Set([...ofRow, ...one.slots, ...groups.slots])] })),
    groups,
    action,
    optional: new Set(ofRow).difference(new Set([...ofPeople, ...groups.slots])),
    refusal: (cells) => unmet(cells) ?? action?.none(cells),
  };
}

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

/** Fields that a shape reads from somewhere else than a column that is recognised by its name. */
export function sourcedFields(shape: Shape, sources: FieldSources): ReadonlySet<Field> {
  const sourced = new Set(FIELDS.filter((field) => sources[field] !== undefined));
  if (shape.lists !== undefined) sourced.add('uid');
  if ((shape.wide ?? shape.numbered) !== undefined) sourced.add('guid');
  return sourced;
}

/** Returns the source of each field in the plan, as the report and the preview show it. */
export function recognisedBy({ shared: { region, onBehalfOf, joinedAt, until }, scope, people, groups }: Plan) {
  const users = new Set(people.map(({ label }) => label));
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
