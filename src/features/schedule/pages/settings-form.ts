/** The fields of a schedule's form, and the settings that they stand for. Pure. */

import { nameOf } from '../../../console/format.ts';
import { wrongField } from '../../../console/requests.ts';
import { pairsIn, pairsText, readingOptions, shapeIn, unsaidOf } from '../../../console/view/upload/file-options.ts';
import { CHOICES, RUN_LABELS, TICKED } from '../../../options/labels.ts';
import { planOptions } from '../../sync/pages/plan-rules.ts';
import type { ScheduleView as Schedule, ScheduleSettings } from '../operations.ts';

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

/** "Nightly Roster" → "nightly-roster"; a name stays as it is. */
export function scheduleName(text: string) {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(text) ? text : nameOf(text);
}

/** Options of each run beside those of its plan. */
export const EACH_RUN = Object.keys(RUN_LABELS);

/** Settings that have one field each, as their fields have them. */
export function textsIn(settings: object): Values {
  const defaults: Readonly<Record<string, readonly string[]>> = CHOICES;
  const plain = Object.entries(settings).filter(([, value]) => typeof value !== 'object' || Array.isArray(value));
  return Object.fromEntries(
    plain.map(([name, value]) => {
      if (value === false || value === defaults[name]?.[0]) return [name, ''];
      return [name, value === '\t' ? 'tab' : String(value)];
    }),
  );
}

/** The fields that a schedule's settings fill. */
export function fieldsOf({ cron, headers, maxCreate = '', ...settings }: Schedule): Values {
  const { users: maxUsers = '', groups: maxGroups = '' } = pairsIn(maxCreate);
  return { ...textsIn(settings), ...timeFields(cron), headers: pairsText(headers), maxUsers, maxGroups };
}

/**
 * The settings that the fields stand for, with what the form does not show. An empty field leaves its setting to the server.
 * @throws ApiError where a field says too little
 */
export function settingsOf(values: Values, before: Schedule | undefined): ScheduleSettings {
  const { file = '', headers = '' } = values;
  if (/^$|\/$/.test(file)) throw wrongField('file', 'Say which file is read: give its path.');
  const unsaid = unsaidOf(shapeIn(values['shape']) ?? {});
  if (unsaid !== undefined) throw wrongField(unsaid.field, unsaid.text);
  const { name: _, ...shown } = before ?? { name: '' };
  const texts = {
    ...Object.fromEntries(['tz', 'exportOf', ...EACH_RUN].map((name) => [name, values[name] ?? ''])),
    ...planOptions(values),
    ...readingOptions(values),
  };
  const made = Object.entries(texts).map(([name, text]) => [
    name,
    TICKED.includes(name) ? text !== '' : text || undefined,
  ]);
  return { ...shown, ...Object.fromEntries(made), cron: cronOf(values), file, headers: pairsIn(headers) };
}
