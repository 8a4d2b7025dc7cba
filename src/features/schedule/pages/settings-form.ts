/** The fields of a schedule's form, and the settings that they stand for. Pure. */
import type { RecipeSettings } from '../../../console/answers.ts';
import type { Choice } from '../../../console/form.tsx';
import { listIn } from '../../../console/format.ts';
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

/** The fields that a schedule's settings fill. */
export function fieldsOf(schedule: Schedule): Values {
  const { cron, tz, file, headers, reading, flags, create, limits, giveUpAfterMs, apply, repair, catchUp } = schedule;
  const chosen: Readonly<Record<string, unknown>> = { ...flags, apply, repair, catchUp };
  return {
    ...timeFields(cron),
    tz,
    file,
    headers: pairs(headers),
    ...readingFields(reading),
    mode: flags.mode === 'mirror' ? 'mirror' : '',
    missing: flags.missing === 'report' ? '' : flags.missing,
    protect: flags.protect.join(', '),
    removeNamed: flags.removeByName.join(', '),
    ...(create !== null && creatingFields(create.settings)),
    ...limitFields(limits),
    giveUpAfter: giveUpAfterMs === undefined ? '' : timeText(giveUpAfterMs),
    ...Object.fromEntries(CHECKS.map((name) => [name, String(chosen[name])])),
  };
}

/** The fields that fill settings by which a file is read: a schedule's, or a recipe's. */
export function readingFields({
  map = {},
  shape: given = {},
  files,
  bounds: _,
  delimiter,
  ...plain
}: ScheduleReading | RecipeSettings): Values {
  const shape = given as NonNullable<RecipeSettings['shape']>;
  const { fields, rest } = fieldsAndRest(shape);
  const [uid] = fields['uidFrom'] === FIRST_OF ? (shape.firstOf?.uid ?? []) : [];
  return {
    ...Object.fromEntries(
      Object.entries(plain).map(([name, value]) => [
        name,
        // The only one that is not a text or number.
        name === 'minRows' ? rowsOrShareText(value as Parameters<typeof rowsOrShareText>[0]) : String(value),
      ]),
    ),
    ...(delimiter !== undefined && { delimiter: delimiter === '\t' ? 'tab' : String(delimiter) }),
    ...fields,
    map: pairs(uid === undefined ? map : { ...map, uid }),
    width: String(shape.columns?.length ?? ''),
    shape: Object.keys(rest).length === 0 ? '' : JSON.stringify(rest),
    files: Array.isArray(files) ? files.join(', ') : '',
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

function creatingFields({
  createUsers,
  createGroups,
  reactivate,
  maxCreate = '',
  ...settings
}: NonNullable<Schedule['create']>['settings']): Values {
  const ticked = (is: boolean) => (is ? 'true' : '');
  const [, users = ''] = /users=([^,]+)/.exec(maxCreate) ?? [];
  const [, groups = ''] = /groups=([^,]+)/.exec(maxCreate) ?? [];
  return {
    createUsers: ticked(createUsers),
    createGroups: ticked(createGroups),
    reactivate: ticked(reactivate),
    userNameFrom: ticked(settings.userNameFrom !== undefined),
    groupNameFrom: ticked(settings.groupNameFrom !== undefined),
    createMap: settings.createMap ?? '',
    groupType: settings.groupType ?? '',
    maxUsers: users,
    maxGroups: groups,
  };
}

/**
 * The settings that the fields stand for, with what the form does not show.
 * @param recognisedUid the column that is recognised as the user; '' where none is known
 * @throws FieldError where a field cannot be read
 */
export function settingsOf(values: Values, before: Schedule | undefined, recognisedUid: string): ScheduleSettings {
  const at = (name: string) => values[name] ?? '';
  if (/^$|\/$/.test(at('file'))) throw new FieldError('file', 'Say which file is read: give its path.');
  const isMirror = at('mode') === 'mirror';
  const { uid = recognisedUid, ...others } = mapOf(values);
  const hasOwnUid = at('uidFrom') !== '';
  const chosen = filled({
    ...Object.fromEntries(PLAIN.map((name) => [name, at(name)])),
    // A pattern such as {channels,groups}.json is one.
    files: nonEmpty(
      at('files')
        .split(/,(?![^{]*\})/)
        .flatMap((name) => name.trim() || []),
    ),
    map: nonEmpty(hasOwnUid ? others : mapOf(values)),
    shape: nonEmpty(shapeIn(values, uid)),
    bounds: before?.reading.bounds,
    expectRows: at('expectRows') === '' ? '' : numberIn('expectRows', 'It', at('expectRows')),
    minRows: at('minRows') === '' ? '' : valueIn('minRows', at('minRows'), rowsOrShare),
  });
  return {
    cron: cronOf(values),
    tz: at('tz'),
    file: at('file'),
    headers: pairsIn('headers', at('headers')),
    ...(before !== undefined && { maxSource: before.maxSource }),
    reading: chosen,
    mode: isMirror ? 'mirror' : 'add',
    ...(isMirror && at('missing') !== '' && { missing: at('missing') }),
    protect: listIn(at('protect')),
    removeNamed: listIn(at('removeNamed')),
    ...creationIn(values, before),
    limits: Object.fromEntries(
      limitsIn(values).map(([name, value]) => [name, numberIn(`limits.${name}`, name, value)]),
    ),
    giveUpAfterMs: at('giveUpAfter') === '' ? null : valueIn('giveUpAfter', at('giveUpAfter'), waitTime),
    ...Object.fromEntries(CHECKS.map((name) => [name, at(name) === 'true'])),
  } as ScheduleSettings;
}

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

/** Returns the options for creating, including those that the form does not show. */
function creationIn(values: Values, before: Schedule | undefined) {
  const { createUsers, createGroups, reactivate, ...chosen } = creatingOptions(values);
  const { userRole, groupOwner, groupIcon, groupDescription, groupMembers } = before?.create?.settings ?? {};
  return filled({
    createUsers: createUsers === 'true',
    createGroups: createGroups === 'true',
    reactivate: reactivate === 'true',
    ...chosen,
    userRole,
    groupOwner,
    groupIcon,
    groupDescription,
    groupMembers,
  });
}

const PLAIN = ['guid', 'scope', 'region', 'onBehalfOf', 'format', 'encoding', 'delimiter', 'sheet', 'exportOf'];
const CHECKS = [...Object.keys(PLAN_CHECKS), 'repair', 'catchUp'];

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

function filled(object: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined && value !== ''));
}
