import { option, words } from '../../../errors/named-options.ts';
import type { InputFormat } from '../../../options/input-kinds.ts';
import { LOOKUP_NAMES, LOOKUPS } from '../../../options/lookups.ts';
import type { Shape } from '../../../options/shape.ts';
import { sameName } from '../../../text/same-text.ts';
import { type ColumnMapping, type Columns, fieldByAlias, unknownColumn } from '../columns.ts';
import type { InputRow, RowProblem } from '../input-row.ts';
import { intakeError } from '../intake-error.ts';
import type { IntakeOptions } from '../intake-options.ts';
import type { RowReading } from '../membership-row.ts';
import type { TableSigns } from '../workbook/workbook.ts';
import { compile, type Plan, recognisedBy, requireMatches, sourcedFields } from './compile.ts';
import {
  columnsRead,
  type FieldSources,
  fieldSources,
  type Given,
  isMoreThanColumn,
  type Layout,
} from './field-sources.ts';
import { openShaper } from './shaper.ts';
import { nameTemplate } from './template.ts';

/** Settings that say where the table begins, and nothing about what its rows mean. */
const TOP: ReadonlySet<string> = new Set<keyof Shape>(['headerRow', 'skipLines', 'columns']);

/** Whether rows must be shaped; otherwise they are read as they are, which takes a third of the time. */
export function needsShaping({ map, shape = {} }: Given, format: InputFormat) {
  if (Object.entries(shape).some(([name, value]) => value !== undefined && !TOP.has(name))) return true;
  const mapped = Object.values(map);
  return mapped.some((column) => isMoreThanColumn(column) || (format !== 'csv' && column.includes('.')));
}

/** The mapping with which columns are recognised by name: not those of fields that come from somewhere else. */
export function recognisedMapping({ map, shape = {} }: Given): ColumnMapping {
  const sourced = sourcedFields(shape, fieldSources({ map, shape }));
  return { ...map, ...Object.fromEntries([...sourced].map((field) => [field, ''])) };
}

/** The place at which the rows of a table begin. */
export interface TableTop {
  /** Rows to skip, counted as a spreadsheet counts. */
  readonly skip: number;
  /** Names of the columns, where no row has them. */
  readonly names?: readonly string[] | undefined;
}

export function tableTop({ headerRow, skipLines, columns }: Shape): TableTop {
  const skip = skipLines ?? (headerRow === undefined ? 0 : headerRow - 1);
  const names = columns?.map((name, index) =>
    name.trim() === '-' || name.trim() === '' ? `column_${index + 1}` : name,
  );
  return { skip, names };
}

/** Columns that the settings name, each as `sameName` writes it: a header has them. */
export function namedColumns({ map, shape = {} }: Given): Set<string> {
  const names = [
    ...Object.values(map),
    ...columnsRead(Object.values(fieldSources({ map, shape }))),
    ...Object.values(shape.lists ?? {}).flat(),
    ...[...(shape.where ?? []), shape.actions].flatMap((setting) => setting?.column ?? []),
    ...(shape.wide?.columns ?? []),
  ];
  return new Set(names.map(sameName));
}

/** Fields that are ids: a workbook's values for them are checked for damage. */
const ID_FIELDS = ['guid', 'uid', 'onBehalfOf'] as const;

/** Whether ids are read from a column, directly or through a template. */
export function idColumns(columns: Columns, { map, shape = {} }: Given): (column: number) => boolean {
  const sources = fieldSources({ map, shape });
  const read = columnsRead(ID_FIELDS.map((field) => sources[field]));
  const names = new Set([...read, ...Object.values(shape.lists ?? {}).flat()].map(sameName));
  return (column) =>
    ID_FIELDS.some((field) => columns.indexOf(field) === column) || names.has(sameName(columns.names[column] ?? ''));
}

export function openShaping(options: IntakeOptions, common: RowReading): Shaping {
  const { shape = {}, lookups = {}, lenient = false } = options;
  for (const name of LOOKUP_NAMES) {
    if (shape[name] === undefined || lookups[name] !== undefined || lenient) continue;
    const { code, field, file } = LOOKUPS[name];
    throw intakeError(
      code,
      `the ${field.toUpperCase()}s of this file must be looked up in another one, the ${file}, and none is given`,
      words`Give it with ${option(name, 'FILE')}`,
    );
  }
  const shaper = openShaper(options, lookups, common);
  return { ...common, shape, sources: fieldSources(options), shaper, lenient };
}

/** Throws BAD_SHAPE for settings that no input could fit. */
export function checkShape(given: Given) {
  fieldSources(given);
  nameTemplate(given.shape?.wide?.guid);
}

/** Returns the signs of a table in a sheet: the columns that the settings name, or the row of the names. */
export function signsOfTable({ map, shape = {} }: Given): TableSigns {
  const { skip, names } = tableTop(shape);
  const named = namedColumns({ map, shape });
  named.delete('');
  return {
    skip,
    isTopGiven: (shape.headerRow ?? shape.skipLines ?? names) !== undefined,
    isColumn: (text) => names !== undefined || named.has(sameName(text)) || fieldByAlias(text) !== undefined,
    areAll: (cells) => {
      if (named.size > 0) return named.isSubsetOf(new Set(cells.map(sameName)));
      const fields = new Set(cells.map(fieldByAlias));
      return fields.has('uid') && fields.has('guid');
    },
  };
}

export interface Shaping extends RowReading {
  readonly shape: Shape;
  readonly sources: FieldSources;
  readonly shaper: ReturnType<typeof openShaper>;
  readonly lenient: boolean;
}

export function shapedCells({ shape, sources, shaper, columns, hasDefaultGuid, lenient, onRepeat }: Shaping) {
  let plan: Plan | undefined;
  let rowsRead = 0;

  function begin() {
    columns.requireMembership(hasDefaultGuid, sourcedFields(shape, sources));
    const layout: Layout = {
      columns,
      has: (name) => columns.positionOf(name) !== -1,
      slotOf: (name, flag) => {
        const slot = columns.positionOf(name.trim());
        if (slot === -1) throw unknownColumn(name, flag, columns.names);
        return slot;
      },
    };
    plan = compile(shape, sources, layout);
    if (!lenient) requireMatches(shape, plan, columns.names);
  }

  /** Up to the first column of the user, of one group and of the action. */
  function needed() {
    if (plan === undefined) return 0;
    const group = plan.groups.source?.slots ?? [];
    const people = plan.people.map(({ source }) => source?.slots ?? []);
    const least = [...people, group, plan.action === undefined ? [] : [plan.action.slot]].map((slots) =>
      Math.min(...slots),
    );
    return 1 + Math.max(-1, ...least.filter(Number.isFinite));
  }

  function rows(line: number, cells: readonly string[], problem?: RowProblem): InputRow[] {
    if (plan === undefined) throw new Error('a row came before the header');
    rowsRead += 1;
    const original = JSON.stringify(cells);
    const read = shaper(plan, line, original, () => [cells], problem && [problem]);
    if (read.length > 1) onRepeat(original.length * (read.length - 1));
    return read;
  }

  return {
    begin,
    needed,
    rows,
    rowsRead: () => rowsRead,
    recognised: () => (plan === undefined ? {} : recognisedBy(plan)),
  };
}
