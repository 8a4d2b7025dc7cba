/** The fields of a schedule's form, and the settings that they stand for. Pure. */

import { wrongField } from '../../../console/requests.ts';
import { pairsIn, pairsText, readingOptions, shapeIn, unsaidOf } from '../../../console/view/upload/file-options.ts';
import { CHOICES, RUN_LABELS, TICKED } from '../../../options/labels.ts';
import { planOptions } from '../../sync/pages/plan-rules.ts';
import type { ScheduleView as Schedule, ScheduleSettings } from '../operations.ts';
import { cronOf, scheduleName, timeFields } from './schedule-rules.ts';

type Values = Readonly<Record<string, string>>;

/** @throws ApiError where there is none */
export function nameIn({ name: given = '' }: Values) {
  const name = scheduleName(given);
  if (name === '') throw wrongField('name', 'Give it a name with letters a to z or digits, such as “Nightly roster”.');
  return name;
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
