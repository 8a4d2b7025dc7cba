import { option, words } from '../../../errors/named-options.ts';
import type { InputFormat } from '../../../options/input-kinds.ts';
import { LOOKUP_NAMES, LOOKUPS } from '../../../options/lookups.ts';
import type { Shape } from '../../../options/shape.ts';
import { sameName } from '../../../text/same-text.ts';
import type { ColumnMapping, Columns } from '../columns.ts';
import type { TableTop } from '../csv.ts';
import type { Bounds } from '../intake-bounds.ts';
import { IntakeError } from '../intake-error.ts';
import type { RowDefaults } from '../membership-row.ts';
import { sourcedFields } from './compile.ts';
import type { Shaping } from './csv-shape.ts';
import { type FieldSource, fieldSources, isMoreThanColumn, nameTemplate } from './field-sources.ts';
import { columnsOfTemplate, parseTemplate, TemplateError } from './id-template.ts';
import type { Lookups } from './lookup.ts';
import { Shaper } from './shaper.ts';

/** Settings that say where the table begins, and nothing about what its rows mean. */
const TOP: ReadonlySet<string> = new Set<keyof Shape>(['headerRow', 'skipLines', 'columns']);

/** Whether rows must be shaped; otherwise they are read as they are, which takes a third of the time. */
export function needsShaping(shape: Shape, mapping: ColumnMapping, format: InputFormat): boolean {
  const settings = Object.entries(shape).filter(([name, value]) => value !== undefined && !TOP.has(name));
  if (settings.length > 0) return true;
  const mapped = Object.values(mapping);
  return mapped.some((column) => isMoreThanColumn(column) || (format !== 'csv' && column.includes('.')));
}

/** The mapping with which columns are recognised by name: not those of fields that come from somewhere else. */
export function recognisedMapping(shape: Shape, mapping: ColumnMapping): ColumnMapping {
  const sourced = sourcedFields(shape, fieldSources({ map: mapping, ...shape }));
  return { ...mapping, ...Object.fromEntries([...sourced].map((field) => [field, ''])) };
}

/** Returns the place at which the table of a CSV input begins. */
export function tableTop({ headerRow, skipLines, columns }: Shape): TableTop {
  const skip = skipLines ?? (headerRow === undefined ? 0 : headerRow - 1);
  const names = columns?.map((name, index) =>
    name.trim() === '-' || name.trim() === '' ? `column_${index + 1}` : name,
  );
  return { skip, names };
}

/** Columns that the settings name: a header has them. */
export function namedColumns(shape: Shape, mapping: ColumnMapping): string[] {
  const sources = Object.values(fieldSources({ map: mapping, ...shape }));
  return [
    ...Object.values(mapping),
    ...sources.flatMap(columnsRead),
    ...Object.values(shape.lists ?? {}).flat(),
    ...(shape.where ?? []).map(({ column }) => column),
    ...(shape.actions === undefined ? [] : [shape.actions.column]),
    ...(shape.wide?.columns ?? []),
  ];
}

/** Fields that are ids: a workbook's values for them are checked for damage. */
const ID_FIELDS = ['guid', 'uid', 'onBehalfOf'] as const;

/** Whether ids are read from a column, directly or through a template. */
export function idColumns(columns: Columns, shape: Shape, mapping: ColumnMapping): (column: number) => boolean {
  const sources = columnsOfIds(shape, mapping);
  return (column) =>
    ID_FIELDS.some((field) => columns.indexOf(field) === column) || sources.has(sameName(columns.names[column] ?? ''));
}

/** Columns that ids are read from or made of. */
function columnsOfIds(shape: Shape, mapping: ColumnMapping): ReadonlySet<string> {
  const sources = fieldSources({ map: mapping, ...shape });
  const read = ID_FIELDS.flatMap((field) => columnsRead(sources[field]));
  return new Set([...read, ...Object.values(shape.lists ?? {}).flat()].map(sameName));
}

/** Columns that a source names; a name with a bar in it may be several. */
function columnsRead(source: FieldSource | undefined): string[] {
  if (source === undefined) return [];
  if (source.kind === 'columns') return source.columns.flatMap((name) => [name, ...name.split('|')]);
  try {
    return columnsOfTemplate(parseTemplate(source.text));
  } catch {
    // A mistake in it is reported when it is used.
    return [];
  }
}

interface ShapingOptions extends RowDefaults {
  readonly shape: Shape;
  readonly map: ColumnMapping;
  readonly lookups?: Lookups | undefined;
  readonly columns: Columns;
  readonly hasDefaultGuid: boolean;
  readonly lenient?: boolean | undefined;
  readonly bounds: Bounds;
  readonly onRepeat: (characters: number) => void;
}

export function openShaping(options: ShapingOptions): Shaping {
  const { shape, map, lookups = {}, columns, hasDefaultGuid, lenient = false, bounds, onRepeat } = options;
  for (const name of LOOKUP_NAMES) {
    if (shape[name] === undefined || lookups[name] !== undefined || lenient) continue;
    const { code, field, file } = LOOKUPS[name];
    throw new IntakeError({
      code,
      what: `the ${field.toUpperCase()}s of this file must be looked up in another one, the ${file}, and none is given`,
      remedy: words`Give it with ${option(name, 'FILE')}`,
    });
  }
  const shaper = new Shaper({ columns, defaults: options, lookups, most: bounds.memberships });
  return {
    shape,
    sources: fieldSources({ map, ...shape }),
    columns,
    shaper,
    hasDefaultGuid,
    lenient,
    onRepeat,
  };
}

/** Throws BAD_SHAPE for settings that no input could fit. */
export function checkShape(shape: Shape, mapping: ColumnMapping): void {
  try {
    for (const source of Object.values(fieldSources({ map: mapping, ...shape }))) {
      if (source.kind === 'template') parseTemplate(source.text);
    }
    nameTemplate(shape.wide?.guid);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new IntakeError({ code: 'BAD_SHAPE', what: error.what, remedy: error.remedy ?? '' });
  }
}
