/** The fields of a schedule's form, and the settings that they stand for. Pure. */
import { listIn } from '../../../console/format.js';
import { CREATING, creatingOptions } from '../../../console/view/upload/creating.js';
import {
  FIRST_OF,
  fieldsAndRest,
  READING,
  SHAPING,
  shapeOf,
  unsaidOf,
} from '../../../console/view/upload/shape-form.js';
import { limitFields, limitsIn, PLAN } from '../../sync/pages/plan-fields.js';

/** @import { RecipeSettings } from '../../../console/answers.d.ts' */
/** @import { Schedule, ScheduleReading, ScheduleSettings } from '../../../console/sync-answers.d.ts' */

/** @typedef {Readonly<Record<string, string>>} Values */

/** The values before anything is chosen. */
export const SCHEDULE = {
  ...READING,
  ...SHAPING,
  ...CREATING,
  ...PLAN,
  ...{ name: '', root: '', path: '', headers: '' },
  ...{ every: 'day', at: '02:30', cron: '', tz: '' },
  ...{ recipe: '', exportOf: '', map: '', expectRows: '', giveUpAfter: '', repair: '', catchUp: '' },
  /** How many columns the file has, as far as it is known; and as JSON, what no field says of the shape. */
  ...{ width: '', shape: '' },
};

/** When it runs, in the simple cases: name → the rest of a cron expression. @type {Readonly<Record<string, string>>} */
const EVERY = { day: '* * *', weekdays: '* * 1-5', sunday: '* * 0', month: '1 * *' };

/** @type {import('../../../console/form.js').Choice[]} */
export const EVERY_CHOICES = [
  ['day', 'every day'],
  ['weekdays', 'Monday to Friday'],
  ['sunday', 'every Sunday'],
  ['month', 'on the first of every month'],
  ['cron', 'as a cron expression says'],
];

/** The cron expression that the fields stand for. @param {Values} values */
export function cronOf({ every = '', at = '', cron = '' }) {
  const days = EVERY[every];
  if (days === undefined) return cron.trim();
  const [hour = '', minute = ''] = at.split(':');
  return hour === '' || minute === '' ? '' : `${Number(minute)} ${Number(hour)} ${days}`;
}

/** @param {string} cron */
function timeFields(cron) {
  const [, minute = '', hour = '', days = ''] = /^(\d{1,2}) (\d{1,2}) (.+)$/.exec(cron.trim()) ?? [];
  const every = Object.keys(EVERY).find((one) => EVERY[one] === days);
  return every === undefined
    ? { every: 'cron', cron }
    : { every, cron, at: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}` };
}

/** Where the file is: a folder or address that the server allows, and the rest. `''` keeps what is there. @param {Values} values */
export function fileOf({ root = '', path = '' }) {
  if (path === '') return '';
  return `${root}${root === '' || root.endsWith('/') ? '' : '/'}${path.replace(/^\/+/, root === '' ? '/' : '')}`;
}

/**
 * The fields that a schedule's settings fill.
 * @param {Schedule} schedule
 * @param {readonly string[]} sources
 * @returns {Values}
 */
export function fieldsOf(schedule, sources) {
  const { cron, tz, file, headers, reading, flags, create, limits, giveUpAfterMs, apply, repair, catchUp } = schedule;
  const root = sources.find((one) => file.startsWith(one.endsWith('/') ? one : `${one}/`));
  return {
    ...timeFields(cron),
    tz,
    ...(root === undefined ? { root: KEPT, path: '' } : { root, path: file.slice(root.length).replace(/^\//, '') }),
    headers: pairs(headers),
    ...readingFields(reading),
    mode: flags.mode === 'mirror' ? 'mirror' : '',
    missing: flags.missing === 'report' ? '' : flags.missing,
    protect: flags.protect.join(', '),
    removeNamed: flags.removeByName.join(', '),
    ...(create !== null && creatingFields(create.settings)),
    ...limitFields(limits),
    giveUpAfter: giveUpAfterMs === undefined ? '' : timeText(giveUpAfterMs),
    allowDemotion: String(flags.allowDemotion),
    allowUnban: String(flags.allowUnban),
    ...{ apply: String(apply), repair: String(repair), catchUp: String(catchUp) },
  };
}

/**
 * The fields that fill settings by which a file is read: a schedule's, or a recipe's.
 * @param {ScheduleReading | RecipeSettings} settings
 * @returns {Values}
 */
export function readingFields({ map = {}, shape: given = {}, files, bounds: _, delimiter, ...plain }) {
  const shape = /** @type {NonNullable<RecipeSettings['shape']>} */ (given);
  const { fields, rest } = fieldsAndRest(shape);
  const [uid] = fields['uidFrom'] === FIRST_OF ? (shape.firstOf?.uid ?? []) : [];
  return {
    ...Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, String(value)])),
    ...(delimiter !== undefined && { delimiter: delimiter === '\t' ? 'tab' : String(delimiter) }),
    ...fields,
    map: pairs(uid === undefined ? map : { ...map, uid }),
    width: String(shape.columns?.length ?? ''),
    shape: Object.keys(rest).length === 0 ? '' : JSON.stringify(rest),
    files: Array.isArray(files) ? files.join(', ') : '',
  };
}

/** The fields that say how a file is read, as they are before anything is chosen. @returns {Values} */
export function plainReading() {
  const { guid: _, scope: __, region: ___, onBehalfOf: ____, ...format } = READING;
  return { ...format, ...SHAPING, exportOf: '', map: '', shape: '' };
}

/** The columns that were chosen by hand, by field. @param {Values} values @returns {Record<string, string>} */
export function mapOf({ map = '' }) {
  return pairsIn('map', map);
}

/** @param {Readonly<Record<string, string>>} map field → column @returns {string} as the form has it */
export function mapText(map) {
  return pairs(map);
}

/** @param {NonNullable<Schedule['create']>['settings']} settings @returns {Values} */
function creatingFields({ createUsers, createGroups, reactivate, maxCreate = '', ...settings }) {
  const ticked = (/** @type {boolean} */ is) => (is ? 'true' : '');
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
    ...{ maxUsers: users, maxGroups: groups },
  };
}

/** Stands for a file that the schedule has and that could not be chosen here. */
export const KEPT = 'kept';

/**
 * The settings that the fields stand for, with what the form does not show.
 * @param {Values} values
 * @param {Schedule | undefined} before
 * @param {string} recognisedUid the column that is recognised as the user; '' where none is known
 * @returns {ScheduleSettings}
 * @throws {FieldError} where a field cannot be read
 */
export function settingsOf(values, before, recognisedUid) {
  const at = (/** @type {string} */ name) => values[name] ?? '';
  if (at('root') !== KEPT && at('path') === '') throw new FieldError('path', 'Say which file is read: give its path.');
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
  });
  return /** @type {ScheduleSettings} */ ({
    cron: cronOf(values),
    tz: at('tz'),
    file: at('root') === KEPT ? (before?.file ?? '') : fileOf(values),
    headers: pairsIn('headers', at('headers')),
    ...(before !== undefined && { maxSource: before.maxSource }),
    reading: chosen,
    mode: isMirror ? 'mirror' : 'add',
    ...(isMirror && at('missing') !== '' && { missing: at('missing') }),
    protect: listIn(at('protect')),
    removeNamed: listIn(at('removeNamed')),
    ...createSettingsOf(values, before),
    limits: Object.fromEntries(
      limitsIn(values).map(([name, value]) => [name, numberIn(`limits.${name}`, name, value)]),
    ),
    giveUpAfterMs: at('giveUpAfter') === '' ? null : timeIn('giveUpAfter', at('giveUpAfter')),
    ...Object.fromEntries(FLAGS.map((name) => [name, at(name) === 'true'])),
  });
}

/** How rows become memberships. @param {Values} values @param {string} uidColumn @returns {Readonly<Record<string, unknown>>} */
function shapeIn(values, uidColumn) {
  const at = (/** @type {string} */ name) => values[name] ?? '';
  const unsaid = unsaidOf(values);
  if (unsaid !== undefined) throw new FieldError(unsaid.field, unsaid.text);
  if (at('header') === 'none' && at('width') === '') {
    throw new FieldError('header', 'Show the file first, so that its columns are known.');
  }
  const rest = at('shape') === '' ? {} : jsonIn('shape', at('shape'));
  const fields = shapeOf(values, { width: Number(at('width')), uidColumn, hasIdentities: false });
  return { ...fields, .../** @type {object} */ (rest) };
}

/**
 * What may be created, with what the form does not show.
 * @param {Values} values
 * @param {Schedule | undefined} before
 */
function createSettingsOf(values, before) {
  const { createUsers, createGroups, reactivate, ...chosen } = creatingOptions(values);
  const { userRole, groupOwner, groupIcon, groupDescription, groupMembers } = before?.create?.settings ?? {};
  return filled({
    createUsers: createUsers === 'true',
    createGroups: createGroups === 'true',
    reactivate: reactivate === 'true',
    ...chosen,
    ...{ userRole, groupOwner, groupIcon, groupDescription, groupMembers },
  });
}

const PLAIN = ['guid', 'scope', 'region', 'onBehalfOf', 'format', 'encoding', 'delimiter', 'sheet', 'exportOf'];
const FLAGS = ['allowDemotion', 'allowUnban', 'apply', 'repair', 'catchUp'];

/** What is wrong with a field, before anything is sent. */
export class FieldError extends Error {
  /** @type {string} */
  field;

  /** @param {string} field @param {string} text */
  constructor(field, text) {
    super(text);
    this.field = field;
  }
}

/** `a=b, c=d` @param {string} field @param {string} text @returns {Record<string, string>} */
function pairsIn(field, text) {
  return Object.fromEntries(
    text.split(/,(?=[^,]*=)/).flatMap((part) => {
      if (part.trim() === '') return [];
      const at = part.indexOf('=');
      if (at < 1) throw new FieldError(field, `“${part.trim()}” is not name=value.`);
      return [[part.slice(0, at).trim(), part.slice(at + 1).trim()]];
    }),
  );
}

/** @param {Readonly<Record<string, unknown>>} values */
function pairs(values) {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
}

/** @param {string} field @param {string} name @param {string} text */
function numberIn(field, name, text) {
  const value = Number(text.replace(/%$/, ''));
  if (Number.isNaN(value)) throw new FieldError(field, `${name} is “${text}”; allowed is a number.`);
  return value;
}

/** Units of time, the longest first, in ms. @type {readonly (readonly [unit: string, ms: number])[]} */
const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
];

/** `30m` @param {number} ms */
function timeText(ms) {
  const [unit, one] = UNITS.find(([, one]) => ms % one === 0) ?? ['s', 1_000];
  return `${Math.ceil(ms / one)}${unit}`;
}

/** @param {string} field @param {string} text in ms */
function timeIn(field, text) {
  const [, count, unit] = /^([1-9]\d{0,5})([dhms])$/.exec(text.trim()) ?? [];
  const [, ms] = UNITS.find(([one]) => one === unit) ?? [];
  if (ms === undefined) throw new FieldError(field, `“${text}” is not a time; allowed is one such as 30m or 12h.`);
  return Number(count) * ms;
}

/** @param {string} field @param {string} text @returns {unknown} */
function jsonIn(field, text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new FieldError(field, 'This is not JSON; allowed is an object such as {"split":{"guid":";"}}.');
  }
}

/** @template {object} T @param {T} value @returns {T | undefined} */
function nonEmpty(value) {
  return Object.keys(value).length === 0 ? undefined : value;
}

/** @param {Readonly<Record<string, unknown>>} object */
function filled(object) {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined && value !== ''));
}
