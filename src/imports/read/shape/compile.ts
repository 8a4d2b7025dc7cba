import { ACTION_MEANINGS, foldId } from '../../../membership/membership.ts';
import type { Shape } from '../../../options/shape.ts';
import { defined } from '../../../platform/defined.ts';
import { sameName } from '../../../text/same-text.ts';
import { starPattern } from '../../../text/wildcard.ts';
import { type Columns, FIELDS, type Field, unknownColumn } from '../columns.ts';
import type { RowProblem } from '../input-row.ts';
import { IntakeError, listed, RENAME_ONE, shown } from '../intake-error.ts';
import {
  type Cells,
  type FieldSource,
  type FieldSources,
  nameTemplate,
  openSource,
  type Slots,
  type Source,
} from './field-sources.ts';
import { TemplateError } from './id-template.ts';
import { type OneGroup, type PeopleSource, type Plan, refusalOf, type WideGroups } from './plan.ts';
import { actionWords, marks, scopeWords } from './words.ts';

/** The columns of an input, as far as they are known. */
export interface Layout {
  /** The columns that are recognised by their names. */
  readonly columns: Columns;
  readonly names: () => readonly string[];
  /** There is a column of this very name. */
  readonly has: (column: string) => boolean;
  /** @throws IntakeError UNKNOWN_COLUMN */
  readonly slotOf: Slots;
}

/** Fields that were recognised in the input: field → its source, as the report and the preview show it. */
export type Recognised = Readonly<Partial<Record<Field, string>>>;

/** Finds every column of a shape. @throws IntakeError UNKNOWN_COLUMN, AMBIGUOUS_COLUMN, BAD_SHAPE */
export function compile(shape: Shape, sources: FieldSources, layout: Layout): Plan {
  try {
    return planOf(shape, sources, layout);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw badShape(error.what, error.remedy ?? '');
  }
}

function planOf(shape: Shape, sources: FieldSources, layout: Layout): Plan {
  const { columns, slotOf, has } = layout;
  const open = (field: Field): Source | undefined => {
    const said = sources[field];
    if (said !== undefined) return openSource(said, flagOf(field, said), slotOf, has);
    const name = columns.nameOf(field);
    return name === undefined ? undefined : openSource({ kind: 'columns', columns: [name] }, field, slotOf, () => true);
  };
  const region = open('region');
  const onBehalfOf = open('onBehalfOf');
  const scope = open('scope');
  const conditions = (shape.where ?? []).filter((one) => !isNumbered(one, shape, has));
  const where = conditions.map((condition) => ({ condition, slot: slotOf(condition.column, 'a condition') }));
  const actionSlot = shape.actions === undefined ? undefined : slotOf(shape.actions.column, 'the action of each row');
  const shared = [
    ...[region, onBehalfOf, scope].flatMap((source) => source?.slots ?? []),
    ...where.map(({ slot }) => slot),
    ...(actionSlot === undefined ? [] : [actionSlot]),
  ];
  const people = shape.lists === undefined ? onePerson(shape, open('uid')) : lists(shape, sources, layout);
  const ofPeople = people.flatMap(({ source, each }) => [...source.slots, ...(each?.slots ?? [])]);
  const used = [...shared, ...ofPeople];
  const groups = groupsPlan(shape, sources, layout, used, () => open('guid'), scope);
  const wordOf = actionWords(shape.actions?.words);
  const unmet = refusalOf(where);
  const noAction = (cells: Cells): RowProblem | undefined => {
    const cell = actionSlot === undefined ? '' : (cells[actionSlot] ?? '');
    if (actionSlot === undefined || wordOf(cell) !== 'none') return undefined;
    const reason = `${shown(cell.trim())} asks for nothing to be done`;
    return { column: shape.actions?.column ?? '', value: cell, code: 'FILTERED', reason };
  };
  return {
    region,
    onBehalfOf,
    scope: groups.kind === 'one' && groups.scopes !== undefined ? undefined : scope,
    scopeOf: scopeWords(shape.scopeWords),
    people: people.map((one) => ({
      ...one,
      slots: [...new Set([...shared, ...one.source.slots, ...(one.each?.slots ?? []), ...groups.slots])],
    })),
    groups,
    action:
      actionSlot === undefined
        ? undefined
        : {
            column: shape.actions?.column ?? '',
            slots: [actionSlot],
            allowed: [...new Set([...ACTION_MEANINGS, ...Object.keys(shape.actions?.words ?? {})])],
            read: (cells) => wordOf(cells[actionSlot] ?? ''),
          },
    optional: new Set(shared).difference(new Set([...ofPeople, ...groups.slots])),
    refusal: (cells) => unmet(cells) ?? noAction(cells),
  };
}

function onePerson({ split }: Shape, source: Source | undefined): Omit<PeopleSource, 'slots'>[] {
  if (source === undefined) return [];
  const separator = split?.uid;
  checkSplits(source, separator, 'uid');
  return [{ source, each: undefined, scope: undefined, isList: separator !== undefined, separator }];
}

function lists({ lists: byScope = {}, split }: Shape, sources: FieldSources, { slotOf, has }: Layout) {
  if (sources.uid?.kind === 'columns') {
    throw badShape('the lists and the mapped uid both say where the users are', 'Give one of them');
  }
  return Object.entries(byScope).flatMap(([scope, names = []]) =>
    names.map((name): Omit<PeopleSource, 'slots'> => {
      const source = openSource({ kind: 'columns', columns: [name] }, 'a list of users', slotOf, has);
      const each =
        sources.uid === undefined
          ? undefined
          : openSource(sources.uid, 'the template of the uid', (column, flag) => slotOf(column, flag), has);
      return { source, each, scope, isList: true, separator: split?.uid };
    }),
  );
}

function groupsPlan(
  shape: Shape,
  sources: FieldSources,
  layout: Layout,
  used: readonly number[],
  open: () => Source | undefined,
  scope: Source | undefined,
): Plan['groups'] {
  const { wide, numbered } = shape;
  if (wide !== undefined || numbered !== undefined) {
    if (sources.guid?.kind === 'columns') {
      const kind = wide === undefined ? 'numbered' : 'wide';
      throw badShape(`the ${kind} columns and the mapped guid both say where the groups are`, 'Give one of them');
    }
  }
  if (wide !== undefined) return wideGroups(shape, wide, layout, used);
  if (numbered !== undefined) return numberedGroups(shape, numbered, sources.guid, layout);
  const source = open();
  const separator = shape.split?.guid;
  if (source !== undefined) checkSplits(source, separator, 'guid');
  const several = shape.split?.scope;
  const one: OneGroup = {
    kind: 'one',
    label: source?.label ?? 'guid',
    emptiness: 'it has no group',
    slots: source?.slots ?? [],
    source,
    separator,
    scopes: several === undefined || scope === undefined ? undefined : { source: scope, separator: several },
  };
  return one;
}

function wideGroups(
  { scopeWords: words }: Shape,
  wide: NonNullable<Shape['wide']>,
  { names, slotOf }: Layout,
  used: readonly number[],
): WideGroups {
  const patterns = wide.columns.map(starPattern);
  const guidOf = nameTemplate(wide.guid);
  const taken = new Set(used);
  const columns: WideGroups['columns'][number][] = [];
  const byGuid = new Map<string, string>();
  for (const name of names()) {
    const column = name.trim();
    if (!patterns.some((fits) => fits(column))) continue;
    const slot = slotOf(column, 'a group');
    if (taken.has(slot)) continue;
    const guid = guidOf(column);
    const other = byGuid.get(foldId(guid));
    if (other !== undefined) {
      const what = `the columns ${shown(other)} and ${shown(column)} both give the group ${shown(guid)}`;
      throw new IntakeError({ code: 'AMBIGUOUS_COLUMN', what, remedy: RENAME_ONE });
    }
    byGuid.set(foldId(guid), column);
    columns.push({ slot, column, guid });
  }
  return {
    kind: 'wide',
    label: wide.columns.join(', '),
    emptiness: 'no column of a group has a mark',
    slots: columns.map(({ slot }) => slot),
    columns,
    markOf: marks(words),
  };
}

type Condition = NonNullable<Shape['where']>[number];

/** A condition is about each of the numbered groups: `enrolstatus#`. */
function isNumbered({ column }: Condition, { numbered }: Shape, has: Layout['has']): boolean {
  return numbered !== undefined && column.includes('#') && !has(column);
}

function numberedGroups(
  shape: Shape,
  { guid, scope }: NonNullable<Shape['numbered']>,
  template: FieldSource | undefined,
  { names, slotOf, has }: Layout,
): Plan['groups'] {
  const conditions = (shape.where ?? [])
    .filter((one) => isNumbered(one, shape, has))
    .map((condition) => ({ condition, columns: numberedColumns(condition.column, names()) }));
  const without = conditions.find(({ columns }) => columns.size === 0);
  if (without !== undefined) throw unknownColumn(without.condition.column, 'a condition', names());
  const scopes = scope === undefined ? new Map<number, string>() : numberedColumns(scope, names());
  const columns = [...numberedColumns(guid, names())]
    .sort(([one], [other]) => one - other)
    .map(([number, column]) => {
      const beside = scopes.get(number);
      const tests = conditions.flatMap(({ condition, columns: numbered }) => {
        const name = numbered.get(number);
        return name === undefined ? [] : [{ condition, slot: slotOf(name, 'a condition') }];
      });
      return {
        tests: tests.map(({ slot }) => slot),
        refusal: refusalOf(tests),
        slot: slotOf(column, 'a numbered group'),
        column,
        scope: beside === undefined ? undefined : { slot: slotOf(beside, 'a numbered group'), column: beside },
      };
    });
  return {
    kind: 'numbered',
    label: guid,
    emptiness: `none of these columns is filled${conditions.length === 0 ? '' : ', or conditions leave them out'}`,
    slots: columns.flatMap((column) => [
      column.slot,
      ...column.tests,
      ...(column.scope === undefined ? [] : [column.scope.slot]),
    ]),
    columns,
    guidOf: nameTemplate(template?.kind === 'template' ? template.text : undefined),
    derives: template !== undefined,
  };
}

/** Number -> the column that has it, for `course#`. */
export function numberedColumns(pattern: string, names: readonly string[]): Map<number, string> {
  const [front = '', back = ''] = sameName(pattern)
    .split('#')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const test = new RegExp(`^${front}(\\d{1,4})${back}$`, 'i');
  return new Map(
    names.flatMap((name) => {
      const [, number] = test.exec(sameName(name)) ?? [];
      return number === undefined ? [] : [[Number(number), name.trim()] as const];
    }),
  );
}

function checkSplits(source: Source, separator: string | undefined, field: Field): void {
  if (separator === undefined || source.isPlain) return;
  throw badShape(
    `several values of the ${field} can be in one column only, and ${shown(source.label)} reads several columns`,
    `Use a template with one column, or do not split the ${field}`,
  );
}

/** Fields that a shape reads from somewhere else than a column that is recognised by its name. */
export function sourcedFields(shape: Shape, sources: FieldSources): ReadonlySet<Field> {
  const sourced = new Set(FIELDS.filter((field) => sources[field] !== undefined));
  if (shape.lists !== undefined) sourced.add('uid');
  if (shape.wide !== undefined || shape.numbered !== undefined) sourced.add('guid');
  return sourced;
}

/** Returns the source of each field in the plan. */
export function recognisedBy({ region, onBehalfOf, scope, people, groups }: Plan): Recognised {
  const all: Partial<Record<Field, string | undefined>> = {
    region: region?.label,
    guid: groups.kind === 'one' && groups.source === undefined ? undefined : groups.label,
    uid: people.length === 0 ? undefined : [...new Set(people.map(({ source }) => source.label))].join(', '),
    scope: scope?.label,
    onBehalfOf: onBehalfOf?.label,
  };
  return defined(all);
}

/** Throws where a pattern fits no column. */
export function requireMatches({ wide, numbered }: Shape, { groups }: Plan, names: readonly string[]): void {
  if (groups.kind === 'one' || groups.columns.length > 0) return;
  const pattern = wide === undefined ? shown(numbered?.guid ?? '') : listed(wide.columns);
  throw new IntakeError({
    code: 'UNKNOWN_COLUMN',
    what: `no column is called ${pattern}; the columns are ${listed(names)}`,
    remedy: wide !== undefined ? 'Name the columns that are groups; * means any text' : 'Write # where the number is',
    facts: { column: pattern },
  });
}

function flagOf(field: Field, source: FieldSource): string {
  return source.kind === 'template' ? `the template of the ${field}` : `the ${field}`;
}

function badShape(what: string, remedy: string): IntakeError {
  return new IntakeError({ code: 'BAD_SHAPE', what, remedy });
}
