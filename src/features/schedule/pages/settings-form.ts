/** The fields of a schedule's form, and the settings that they stand for. Pure. */

import type { RecipeSettings } from '../../../console/answers.ts';
import { listIn } from '../../../console/format.ts';
import type { Choice } from '../../../console/kit/form.tsx';
import type {} from '../../../console/option-words.ts';
import { CREATING, creatingOptions } from '../../../console/view/upload/creating-fields.tsx';
import {
  FIRST_OF,
  fieldsAndRest,
  READING,
  SHAPING,
  shapeOf,
  unsaidOf,
} from '../../../console/view/upload/shape-form.ts';
import { PLAN_CHECKS } from '../../../options/labels.ts';
import { type Allowed, rowsOrShare, rowsOrShareText, timeText, waitTime } from '../../../platform/allowed-values.ts';
import { limitFields, limitsIn, PLAN } from '../../sync/pages/plan-fields.tsx';
import type { ScheduleView as Schedule, ScheduleReading, ScheduleSettings } from '../api.ts';

type Values = Readonly<Record<string, string>>;

/** The values before anything is chosen. */
export const SCHEDULE = {
  ...READING,
  ...SHAPING,
  ...CREATING,
  ...PLAN,
  name: '',
  file: '',
  headers: '',
  every: 'day',
  at: '02:30',
  cron: '',
  tz: '',
  recipe: '',
  exportOf: '',
  map: '',
  expectRows: '',
  minRows: '',
  giveUpAfter: '',
  repair: '',
  catchUp: '',
  /** The number of columns of the file, if known; and as JSON, the parts of the shape that no field shows. */
  width: '',
  shape: '',
};

/** Simple times: name → the rest of a cron expression. */
const EVERY: Readonly<Record<string, string>> = { day: '* * *', weekdays: '* * 1-5', sunday: '* * 0', month: '1 * *' };

export const EVERY_CHOICES: Choice[] = [
  ['day', 'every day'],
  ['weekdays', 'Monday to Friday'],
  ['sunday', 'every Sunday'],
  ['month', 'on the first of every month'],
  ['cron', 'as a cron expression says'],
];

/** The cron expression that the fields stand for. */
export function cronOf({ every = '', at = '', cron = '' }: Values) {
  const days = EVERY[every];
  if (days === undefined) return cron.trim();
  const [hour = '', minute = ''] = at.split(':');
  return hour === '' || minute === '' ? '' : `${Number(minute)} ${Number(hour)} ${days}`;
}

function timeFields(cron: string) {
  const [, minute = '', hour = '', days = ''] = /^(\d{1,2}) (\d{1,2}) (.+)$/.exec(cron.trim()) ?? [];
  const every = Object.keys(EVERY).find((one) => EVERY[one] === days);
  return every === undefined
    ? { every: 'cron', cron }
    : { every, cron, at: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}` };
}

/** Writes a setting into its field, and reads it from there. */
interface Kind {
  /** @param value never undefined */
  text: (value: never) => string;
  /** @param text never empty @throws FieldError */
  value: (text: string, field: string) => unknown;
  /** The setting without a text. */
  empty?: unknown;
}

const TEXT: Kind = { text: String, value: (text) => text };
const CHECK: Kind = { text: (is) => (is ? 'true' : ''), value: () => true, empty: false };
const NUMBER: Kind = { text: String, value: (text, field) => numberIn(field, 'It', text) };
const UIDS: Kind = { text: (uids: string[]) => uids.join(', '), value: listIn, empty: [] };
const PAIRS: Kind = { text: pairs, value: (text, field) => pairsIn(field, text), empty: {} };
const WAIT: Kind = { text: timeText, value: (text, field) => valueIn(field, text, waitTime) };
const SHARE: Kind = { text: rowsOrShareText, value: (text, field) => valueIn(field, text, rowsOrShare) };
const DELIMITER: Kind = { ...TEXT, text: (delimiter: string) => (delimiter === '\t' ? 'tab' : delimiter) };
const FILES: Kind = {
  text: (files: string[]) => files.join(', '),
  // A pattern such as {channels,groups}.json is one.
  value: (text) => text.split(/,(?![^{]*\})/).flatMap((name) => name.trim() || []),
};

/** The settings that have one field each. */
const SETTINGS: Readonly<Record<string, Kind>> = {
  tz: TEXT,
  file: TEXT,
  headers: PAIRS,
  mode: { text: (mode: string) => (mode === 'mirror' ? mode : ''), value: (text) => text, empty: 'add' },
  missing: { text: (missing: string) => (missing === 'report' ? '' : missing), value: (text) => text },
  protect: UIDS,
  removeNamed: UIDS,
  createUsers: CHECK,
  createGroups: CHECK,
  reactivate: CHECK,
  userNameFrom: { text: () => 'true', value: () => 'uid' },
  groupNameFrom: { text: () => 'true', value: () => 'guid' },
  groupType: TEXT,
  createMap: TEXT,
  maxCreate: TEXT,
  giveUpAfterMs: WAIT,
  ...Object.fromEntries([...Object.keys(PLAN_CHECKS), 'repair', 'catchUp'].map((name) => [name, CHECK])),
};

/** Options for reading the file that have one field each; `map` and `shape` have several. */
const READ: Readonly<Record<string, Kind>> = {
  guid: TEXT,
  scope: TEXT,
  region: TEXT,
  onBehalfOf: TEXT,
  format: TEXT,
  encoding: TEXT,
  delimiter: DELIMITER,
  sheet: TEXT,
  exportOf: TEXT,
  files: FILES,
  expectRows: NUMBER,
  minRows: SHARE,
};

/** The name of a setting's field. */
export function fieldOf(setting: string) {
  return setting === 'giveUpAfterMs' ? 'giveUpAfter' : setting;
}

function textsOf(kinds: Readonly<Record<string, Kind>>, settings: object): Values {
  const values = settings as Readonly<Record<string, never>>;
  return Object.fromEntries(
    Object.entries(kinds).flatMap(([name, { text }]) =>
      values[name] === undefined ? [] : [[fieldOf(name), text(values[name])]],
    ),
  );
}

/** An empty field gives undefined, or what the setting is then. */
function valuesOf(kinds: Readonly<Record<string, Kind>>, fields: Values) {
  return Object.fromEntries(
    Object.entries(kinds).map(([name, { value, empty }]) => {
      const text = fields[fieldOf(name)] ?? '';
      return [name, text === '' ? empty : value(text, fieldOf(name))];
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
    map: pairs(uid === undefined ? map : { ...map, uid }),
    width: String(shape.columns?.length ?? ''),
    shape: Object.keys(rest).length === 0 ? '' : JSON.stringify(rest),
  };
}

/** The fields that say how a file is read, as they are before anything is chosen. */
export function plainReading(): Values {
  const { guid: _, scope: __, region: ___, onBehalfOf: ____, ...format } = READING;
  return { ...format, ...SHAPING, exportOf: '', map: '', shape: '' };
}

/** The columns that were chosen by hand, by field. */
export function mapOf({ map = '' }: Values): Record<string, string> {
  return pairsIn('map', map);
}

/** @param map field → column @returns as the form has it */
export function mapText(map: Readonly<Record<string, string>>): string {
  return pairs(map);
}

/**
 * The settings that the fields stand for, with what the form does not show.
 * @param recognisedUid the column that is recognised as the user; '' where none is known
 * @throws FieldError where a field cannot be read
 */
export function settingsOf(values: Values, before: Schedule | undefined, recognisedUid: string): ScheduleSettings {
  const at = (name: string) => values[name] ?? '';
  if (/^$|\/$/.test(at('file'))) throw new FieldError('file', 'Say which file is read: give its path.');
  const { name: _, ...shown } = before ?? { name: '' };
  const { uid = recognisedUid, ...others } = mapOf(values);
  const made = {
    ...shown,
    ...valuesOf(SETTINGS, { ...values, ...NOT_CREATING, ...creatingOptions(values) }),
    cron: cronOf(values),
    reading: {
      ...before?.reading,
      ...valuesOf(READ, values),
      map: nonEmpty(at('uidFrom') === '' ? mapOf(values) : others),
      shape: nonEmpty(shapeIn(values, uid)),
    },
    limits: Object.fromEntries(
      limitsIn(values).map(([name, value]) => [name, numberIn(`limits.${name}`, name, value)]),
    ),
  };
  return { ...made, ...(made['mode'] === 'add' && { missing: undefined }) } as ScheduleSettings;
}

/** A schedule that creates nothing has no options for it. */
const NOT_CREATING = { userNameFrom: '', groupNameFrom: '', groupType: '', createMap: '', maxCreate: '' };

function shapeIn(values: Values, uidColumn: string): Readonly<Record<string, unknown>> {
  const at = (name: string) => values[name] ?? '';
  const unsaid = unsaidOf(values);
  if (unsaid !== undefined) throw new FieldError(unsaid.field, unsaid.text);
  if (at('header') === 'none' && at('width') === '') {
    throw new FieldError('header', 'Show the file first, so that its columns are known.');
  }
  const rest = at('shape') === '' ? {} : jsonIn('shape', at('shape'));
  const fields = shapeOf(values, { width: Number(at('width')), uidColumn, lookups: {} });
  return { ...fields, ...(rest as object) };
}

/** An error of a field, before anything is sent. */
export class FieldError extends Error {
  field: string;

  constructor(field: string, text: string) {
    super(text);
    this.field = field;
  }
}

/** `a=b, c=d` */
function pairsIn(field: string, text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(/,(?=[^,]*=)/).flatMap((part) => {
      if (part.trim() === '') return [];
      const at = part.indexOf('=');
      if (at < 1) throw new FieldError(field, `“${part.trim()}” is not name=value.`);
      return [[part.slice(0, at).trim(), part.slice(at + 1).trim()]];
    }),
  );
}

function pairs(values: Readonly<Record<string, unknown>>) {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
}

function numberIn(field: string, name: string, text: string) {
  const value = Number(text.replace(/%$/, ''));
  if (Number.isNaN(value)) throw new FieldError(field, `${name} is “${text}”; allowed is a number.`);
  return value;
}

/** @throws FieldError */
function valueIn<Value>(field: string, text: string, { allowed, parse }: Allowed<Value>): Value {
  const value = parse(text, field);
  if (value === undefined) throw new FieldError(field, `“${text}” is not possible; allowed is ${allowed}.`);
  return value;
}

function jsonIn(field: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FieldError(field, 'This is not JSON; allowed is an object such as {"split":{"guid":";"}}.');
  }
}

function nonEmpty<T extends object>(value: T): T | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}
