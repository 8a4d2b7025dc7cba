/** The fields of a schedule's form, and the settings that they stand for. Pure. */

import type { RecipeSettings } from '../../../console/answers.ts';
import { listIn } from '../../../console/format.ts';
import { wrongField } from '../../../console/requests.ts';
import { creatingOptions } from '../../../console/view/upload/creating-options.ts';
import { chosenIn, chosenText } from '../../../console/view/upload/file-preview.ts';
import { FIRST_OF, fieldsAndRest, READING, shapeOf, unsaidOf } from '../../../console/view/upload/shape-form.ts';
import { CHOICES, TICKED } from '../../../options/labels.ts';
import { type Allowed, rowsOrShare, rowsOrShareText, timeText, waitTime } from '../../../platform/allowed-values.ts';
import { limitFields, limitsIn, takesMissing } from '../../sync/pages/plan-parts.tsx';
import type { ScheduleView as Schedule, ScheduleReading, ScheduleSettings } from '../operations.ts';

type Values = Readonly<Record<string, string>>;

/** Simple times, by the rest of a cron expression behind minute and hour; `cron`: the expression itself is given. */
export const EVERY_CHOICES: (readonly [days: string, label: string])[] = [
  ['* * *', 'every day'],
  ['* * 1-5', 'Monday to Friday'],
  ['* * 0', 'every Sunday'],
  ['1 * *', 'on the first of every month'],
  ['cron', 'as a cron expression says'],
];

/** The cron expression that the fields stand for. */
export function cronOf({ every = '', at = '', cron = '' }: Values) {
  if (every === 'cron') return cron.trim();
  const [hour = '', minute = ''] = at.split(':');
  return hour === '' || minute === '' ? '' : `${Number(minute)} ${Number(hour)} ${every}`;
}

function timeFields(cron: string) {
  const [, minute = '', hour = '', days = ''] = /^(\d{1,2}) (\d{1,2}) (.+)$/.exec(cron.trim()) ?? [];
  return EVERY_CHOICES.some(([every]) => every === days)
    ? { every: days, at: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}` }
    : { every: 'cron', cron };
}

/** The settings that have one field each. */
const SETTINGS = [
  ...TICKED,
  'tz',
  'file',
  'headers',
  'mode',
  'missing',
  'whose',
  'left',
  'changed',
  'protect',
  'removeNamed',
  'userNameFrom',
  'groupNameFrom',
  'groupType',
  'createMap',
  'maxCreate',
  'giveUpAfter',
];
/** Options for reading the file that have one field each; `map` and `shape` have several. */
const READ = [...READING, 'exportOf', 'expectRows', 'minRows'];

/** Reads the text of a field, which is never empty. @throws ApiError */
type Reader = (text: string, field: string) => unknown;

/** Those whose value is not the text. */
const READERS: Readonly<Record<string, Reader>> = {
  ...Object.fromEntries(TICKED.map((name) => [name, () => true])),
  headers: pairsIn,
  protect: listIn,
  removeNamed: listIn,
  userNameFrom: () => 'uid',
  groupNameFrom: () => 'guid',
  giveUpAfter: reading(waitTime),
  // A pattern such as {channels,groups}.json is one.
  files: (text) => text.split(/,(?![^{]*\})/).flatMap((name) => name.trim() || []),
  expectRows: (text, field) => numberIn(field, 'It', text),
  minRows: reading(rowsOrShare),
};

function reading<Value>({ allowed, parse }: Allowed<Value>): Reader {
  return (text, field) => {
    const value = parse(text, field);
    if (value === undefined) throw wrongField(field, `“${text}” is not possible; allowed is ${allowed}.`);
    return value;
  };
}

/** `a=b, c=d` @throws ApiError at the field where it is not so */
function pairsIn(text: string, field: string): Record<string, string> {
  return Object.fromEntries(
    text.split(/,(?=[^,]*=)/).flatMap((part) => {
      if (part.trim() === '') return [];
      const at = part.indexOf('=');
      if (at < 1) throw wrongField(field, `“${part.trim()}” is not name=value.`);
      return [[part.slice(0, at).trim(), part.slice(at + 1).trim()]];
    }),
  );
}

function pairs(values: object) {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
}

/** A setting as its field has it. */
function textOf(name: string, value: unknown): string {
  if (value === (CHOICES as Readonly<Record<string, readonly unknown[]>>)[name]?.[0]) return '';
  if (/NameFrom$/.test(name)) return 'true';
  if (name === 'giveUpAfter') return timeText(Number(value));
  if (typeof value === 'boolean') return value ? 'true' : '';
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value !== 'object' || value === null) return value === '\t' ? 'tab' : String(value);
  return name === 'minRows' ? rowsOrShareText(value as { rows: number }) : pairs(value);
}

function textsOf(names: readonly string[], settings: object): Values {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => (names.includes(name) ? [[name, textOf(name, value)]] : [])),
  );
}

/** An empty field leaves its setting to the server. */
function valuesOf(names: readonly string[], fields: Values) {
  return Object.fromEntries(
    names.map((name) => {
      const text = fields[name] ?? '';
      return [name, text === '' ? undefined : (READERS[name]?.(text, name) ?? text)];
    }),
  );
}

/** The fields that a schedule's settings fill. */
export function fieldsOf(schedule: Schedule): Values {
  const { cron, reading, limits, maxCreate = '' } = schedule;
  const [, maxUsers = ''] = /users=([^,]+)/.exec(maxCreate) ?? [];
  const [, maxGroups = ''] = /groups=([^,]+)/.exec(maxCreate) ?? [];
  return {
    ...textsOf(SETTINGS, schedule),
    ...timeFields(cron),
    ...readingFields(reading),
    ...limitFields(limits),
    maxUsers,
    maxGroups,
  };
}

/** The fields that fill settings by which a file is read: a schedule's, or a recipe's. */
export function readingFields({ map = {}, shape: given = {}, ...plain }: ScheduleReading | RecipeSettings): Values {
  const shape = given as NonNullable<RecipeSettings['shape']>;
  const { fields, rest } = fieldsAndRest(shape);
  const [uid] = fields['uidFrom'] === FIRST_OF ? (shape.firstOf?.uid ?? []) : [];
  return {
    ...textsOf(READ, plain),
    ...fields,
    map: chosenText(uid === undefined ? map : { ...map, uid }),
    width: String(shape.columns?.length ?? ''),
    shape: Object.keys(rest).length === 0 ? '' : JSON.stringify(rest),
  };
}

/**
 * The settings that the fields stand for, with what the form does not show.
 * @param recognisedUid the column that is recognised as the user; '' where none is known
 * @throws ApiError where a field cannot be read
 */
export function settingsOf(values: Values, before: Schedule | undefined, recognisedUid: string): ScheduleSettings {
  const at = (name: string) => values[name] ?? '';
  if (/^$|\/$/.test(at('file'))) throw wrongField('file', 'Say which file is read: give its path.');
  const { name: _, ...shown } = before ?? { name: '' };
  const map = chosenIn(at('map'));
  const { uid = recognisedUid, ...others } = map;
  const made = {
    ...shown,
    ...valuesOf(SETTINGS, { ...values, ...NOT_CREATING, ...creatingOptions(values) }),
    cron: cronOf(values),
    reading: {
      ...before?.reading,
      ...valuesOf(READ, values),
      map: nonEmpty(at('uidFrom') === '' ? map : others),
      shape: nonEmpty(shapeIn(values, uid)),
    },
    limits: Object.fromEntries(
      limitsIn(values).map(([name, value]) => [name, numberIn(`limits.${name}`, name, value)]),
    ),
  };
  return {
    ...made,
    ...(made['mode'] !== 'mirror' && { missing: undefined }),
    ...(!takesMissing(values) && { whose: undefined }),
  } as ScheduleSettings;
}

/** A schedule that creates nothing has no options for it. */
const NOT_CREATING = { userNameFrom: '', groupNameFrom: '', groupType: '', createMap: '', maxCreate: '' };

function shapeIn(values: Values, uidColumn: string): Readonly<Record<string, unknown>> {
  const at = (name: string) => values[name] ?? '';
  const unsaid = unsaidOf(values);
  if (unsaid !== undefined) throw wrongField(unsaid.field, unsaid.text);
  if (at('header') === 'none' && at('width') === '') {
    throw wrongField('header', 'Show the file first, so that its columns are known.');
  }
  const rest = at('shape') === '' ? {} : jsonIn('shape', at('shape'));
  const fields = shapeOf(values, { width: Number(at('width')), uidColumn, lookups: {} });
  return { ...fields, ...(rest as object) };
}

function numberIn(field: string, name: string, text: string) {
  const value = Number(text.replace(/%$/, ''));
  if (Number.isNaN(value)) throw wrongField(field, `${name} is “${text}”; allowed is a number.`);
  return value;
}

function jsonIn(field: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw wrongField(field, 'This is not JSON; allowed is an object such as {"split":{"guid":";"}}.');
  }
}

function nonEmpty<T extends object>(value: T): T | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}
