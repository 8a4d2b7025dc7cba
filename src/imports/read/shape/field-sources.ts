import type { Shape } from '../../../options/shape.ts';
import { type ColumnMapping, type Columns, FIELDS, type Field } from '../columns.ts';
import { columnsOfTemplate, fill, firstFilled, parseTemplate, type Template, VALUE } from './template.ts';

/** The source of a field's value, as the options say it. */
interface FieldSource {
  /** Columns of which the first filled one counts, or those of the template. */
  readonly columns: readonly string[];
  readonly template?: { readonly text: string; readonly parts: Template };
}

export type FieldSources = Readonly<Partial<Record<Field, FieldSource>>>;

/** `Login|E-mail` in `--map`; a column may have such a name, and then it is that one. */
const ALTERNATIVES = '|';
const HAS_PLACEHOLDER = /\{[^{}]+\}/;

/** Whether `--map` says more than which column it is. */
export function isMoreThanColumn(mapped: string) {
  return mapped.includes(ALTERNATIVES) || HAS_PLACEHOLDER.test(mapped);
}

/** The options that say which columns mean what. */
export interface Given {
  readonly map: ColumnMapping;
  readonly shape?: Shape | undefined;
}

/** Returns the source of each field; absent: a column that is recognised by its name. @throws IntakeError BAD_SHAPE */
export function fieldSources({ map, shape = {} }: Given): FieldSources {
  const sources: Partial<Record<Field, FieldSource>> = {};
  for (const field of FIELDS) {
    const several = shape.firstOf?.[field];
    const mapped = several === undefined ? (map[field] ?? '') : '';
    const text = shape.templates?.[field] ?? (HAS_PLACEHOLDER.test(mapped) ? mapped : undefined);
    if (text !== undefined) {
      const parts = parseTemplate(text);
      sources[field] = { columns: columnsOfTemplate(parts), template: { text, parts } };
    } else if (several !== undefined || mapped !== '') sources[field] = { columns: several ?? [mapped] };
  }
  return sources;
}

/** Columns that the sources name; a name with a bar in it may be several. */
export function columnsRead(sources: readonly (FieldSource | undefined)[]) {
  return sources.flatMap((source) => source?.columns.flatMap((name) => [name, ...name.split(ALTERNATIVES)]) ?? []);
}

/** The source of a field's value in a row: a column, the first filled one of several, or a template. */
export interface Source {
  /** The name for messages and reports. */
  readonly label: string;
  readonly slots: readonly number[];
  /** Whether it makes another text of what is in the file, so that two texts may become the same id. */
  readonly derives: boolean;
  /** Whether it reads one value, so that it can be given one value of a list. */
  readonly isPlain: boolean;
  /** The value of a row; `piece`: the current value of a list. */
  read(cells: Cells, piece?: string): string;
  raw(cells: Cells, piece?: string): string;
}

/** The cells of a row by slot. */
export interface Cells extends ReadonlyArray<string> {
  /** Values of JSON that cannot be ids, by slot: neither texts nor whole numbers. */
  readonly notText?: ReadonlyMap<number, unknown>;
}

/** The columns of an input, as far as they are known. */
export interface Layout {
  readonly columns: Columns;
  /** There is a column of this very name. */
  has(column: string): boolean;
  /** Gives the slot of a column. @param flag what asks for it @throws IntakeError UNKNOWN_COLUMN */
  slotOf(column: string, flag: string): number;
}

export function openSource(source: FieldSource, flag: string, { has, slotOf }: Layout): Source {
  const { template } = source;
  const columns =
    template === undefined
      ? source.columns.flatMap((name) => (has(name) ? [name] : name.split(ALTERNATIVES).map((part) => part.trim())))
      : source.columns;
  const hasValue = template !== undefined && columns.includes(VALUE);
  const slots = new Map(
    columns.filter((name) => !hasValue || name !== VALUE).map((name) => [name, slotOf(name, flag)]),
  );
  const [first = 0] = slots.values();
  const places = template?.parts.filter((part) => typeof part !== 'string') ?? [{ columns }];
  const isPlain = columns.length === 1 || places.length === 1;
  const cellOf = (cells: Cells, piece: string | undefined) => (column: string) => {
    if (piece !== undefined && (hasValue ? column === VALUE : isPlain)) return piece;
    const slot = slots.get(column);
    return slot === undefined ? '' : (cells[slot] ?? '');
  };
  return {
    label:
      template === undefined
        ? columns.join(' | ')
        : isPlain && columns[0] !== VALUE
          ? columns.join(' ?? ')
          : template.text,
    slots: [...slots.values()],
    derives: template !== undefined,
    isPlain,
    read: (cells, piece) => {
      // Most fields have one column.
      if (template === undefined && columns.length === 1) return piece ?? cells[first] ?? '';
      const cell = cellOf(cells, piece);
      return template === undefined ? firstFilled(columns, cell) : fill(template.parts, cell);
    },
    raw: (cells, piece) => {
      const cell = cellOf(cells, piece);
      return places
        .map((place) => firstFilled(place.columns, cell).trim())
        .join(' ')
        .trim();
    },
  };
}
