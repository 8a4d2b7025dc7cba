import { FIELDS, type Field } from '../columns.ts';
import {
  columnsOfTemplate,
  fill,
  type Placeholder,
  parseTemplate,
  type Template,
  TemplateError,
  VALUE,
} from './id-template.ts';

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
  /** Returns the text in the file. */
  raw(cells: Cells, piece?: string): string;
}

/** The cells of a row by slot. */
export interface Cells extends ReadonlyArray<string> {
  /** Values of JSON that cannot be ids, by slot: neither texts nor whole numbers. */
  readonly notText?: ReadonlyMap<number, unknown>;
}

/** Gives the slot of a column; throws where there is none. `flag` names what asks for it. */
export type Slots = (column: string, flag: string) => number;

/** The source of a field, in the form of the options. */
export type FieldSource =
  | { readonly kind: 'columns'; readonly columns: readonly string[] }
  | { readonly kind: 'template'; readonly text: string };

export type FieldSources = Readonly<Partial<Record<Field, FieldSource>>>;

interface SourceOptions {
  readonly map: Readonly<Partial<Record<Field, string>>>;
  readonly firstOf?: Readonly<Partial<Record<Field, readonly string[] | undefined>>> | undefined;
  readonly templates?: Readonly<Partial<Record<Field, string | undefined>>> | undefined;
}

/** `Login|E-mail` in `--map`; a column may have such a name, and then it is that one. */
const ALTERNATIVES = '|';
const HAS_PLACEHOLDER = /\{[^{}]+\}/;

/** Whether `--map` says more than which column it is. */
export function isMoreThanColumn(mapped: string): boolean {
  return mapped.includes(ALTERNATIVES) || HAS_PLACEHOLDER.test(mapped);
}

/** Returns the source of each field; absent: a column that is recognised by its name. */
export function fieldSources({ map, firstOf = {}, templates = {} }: SourceOptions): FieldSources {
  const sources: Partial<Record<Field, FieldSource>> = {};
  for (const field of FIELDS) {
    const template = templates[field];
    const several = firstOf[field];
    const mapped = map[field];
    if (template !== undefined) sources[field] = { kind: 'template', text: template };
    else if (several !== undefined) sources[field] = { kind: 'columns', columns: several };
    else if (mapped !== undefined && HAS_PLACEHOLDER.test(mapped)) sources[field] = { kind: 'template', text: mapped };
    else if (mapped !== undefined && mapped !== '') sources[field] = { kind: 'columns', columns: [mapped] };
  }
  return sources;
}

/** @throws TemplateError; what `slots` throws */
export function openSource(source: FieldSource, flag: string, slots: Slots, known: (name: string) => boolean): Source {
  if (source.kind === 'template') return ofTemplate(parseTemplate(source.text), source.text, flag, slots);
  const columns = source.columns.flatMap((name) =>
    known(name) ? [name] : name.split(ALTERNATIVES).map((part) => part.trim()),
  );
  return ofColumns(columns, flag, slots);
}

function ofColumns(columns: readonly string[], flag: string, slotOf: Slots): Source {
  const slots = columns.map((column) => slotOf(column, flag));
  const [only = 0] = slots;
  const first = (cells: Cells) => {
    for (const slot of slots) {
      const cell = cells[slot] ?? '';
      if (cell.trim() !== '') return cell;
    }
    return '';
  };
  const read = slots.length === 1 ? (cells: Cells) => cells[only] ?? '' : first;
  return {
    label: columns.join(' | '),
    slots,
    derives: false,
    isPlain: true,
    read: (cells, piece) => piece ?? read(cells),
    raw: (cells, piece) => piece ?? read(cells),
  };
}

function ofTemplate(template: Template, text: string, flag: string, slotOf: Slots): Source {
  const columns = [...new Set(columnsOfTemplate(template))];
  const bySlot = new Map(columns.filter((name) => name !== VALUE).map((name) => [name, slotOf(name, flag)]));
  const slots = [...bySlot.values()];
  const isPlain = columns.length === 1 || template.filter((part) => typeof part !== 'string').length === 1;
  const cellOf = (cells: Cells, piece: string | undefined) => (column: string) => {
    if (piece !== undefined && (column === VALUE || (isPlain && !columns.includes(VALUE)))) return piece;
    const slot = bySlot.get(column);
    return slot === undefined ? '' : (cells[slot] ?? '');
  };
  const placeholders = template.filter((part): part is Placeholder => typeof part !== 'string');
  return {
    label: isPlain && columns[0] !== VALUE ? columns.join(' ?? ') : text,
    slots,
    derives: true,
    isPlain,
    read: (cells, piece) => fill(template, cellOf(cells, piece)),
    raw: (cells, piece) => {
      const cell = cellOf(cells, piece);
      return placeholders
        .map(({ columns: names }) => names.map((name) => cell(name).trim()).find((value) => value !== '') ?? '')
        .join(' ')
        .trim();
    },
  };
}

/** Makes an id from a name that is not in a cell: a column's header, or a numbered column's value. */
export function nameTemplate(text: string | undefined): (name: string) => string {
  if (text === undefined) return (name) => name;
  const template = parseTemplate(text);
  const strange = columnsOfTemplate(template).find((name) => name !== 'column' && name !== VALUE);
  if (strange !== undefined) {
    throw new TemplateError(
      `${JSON.stringify(text)} reads the column ${JSON.stringify(strange)}; this template has only {column}, the name of the group's column`,
      'Write {column}, such as {column|slug}',
    );
  }
  return (name) => fill(template, () => name);
}
