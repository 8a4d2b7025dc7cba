/** When a schedule runs: in words, as an expression, and the next five times. */
import { useRef } from 'preact/hooks';
import { useAnswer } from '../../../console/answer.js';
import { query } from '../../../console/api.js';
import { cronWords } from '../../../console/cron-words.js';
import { h } from '../../../console/element.js';
import { Field, SelectField, TextField, useChange } from '../../../console/form.js';
import { TimeIn } from '../../../console/time.js';
import { cronOf, EVERY_CHOICES } from './settings-form.js';

/** @import { Form } from '../../../console/form.js' */

/** @param {{ form: Form }} properties */
export function WhenFields({ form }) {
  const every = form.get('every');
  const tz = form.get('tz');
  const offset = offsetOf(tz);
  const cron = cronOf({ every, at: form.get('at'), cron: form.get('cron') });
  const simple = useRef(cron);
  if (every !== 'cron') simple.current = cron;
  useChange(every, () => {
    // An expression is easier to change than to begin.
    if (every === 'cron' && form.get('cron') === '') form.set('cron', simple.current);
  });
  return h(
    'fieldset',
    null,
    h('legend', null, 'When'),
    h(
      'div',
      { class: 'fields' },
      h(SelectField, { form, name: 'every', label: 'Runs', choices: EVERY_CHOICES }),
      every === 'cron'
        ? h(TextField, {
            form,
            name: 'cron',
            label: 'Cron expression',
            placeholder: '30 2 * * 1-5',
            note: `Minute, hour, day of month, month, weekday; * is every one. ${unbroken('0 6,18 * * 1-5')} is 06:00 and 18:00 from Monday to Friday.`,
          })
        : h(Field, {
            form,
            name: 'at',
            label: 'At',
            note: cron === '' ? undefined : `As a cron expression: ${unbroken(cron)}`,
            control: (own) =>
              h('input', {
                ...own,
                type: 'time',
                value: form.get('at'),
                onInput: ({ currentTarget }) => form.set('at', currentTarget.value),
              }),
          }),
      h(Field, {
        form,
        name: 'tz',
        label: 'Time zone',
        note:
          offset === undefined
            ? 'A city as in the list, such as Europe/Rome, or UTC.'
            : `The time is by the clocks there (now ${offset}), summer time included.`,
        control: (own) =>
          h('input', {
            ...own,
            type: 'text',
            list: 'time-zones',
            value: tz,
            spellcheck: false,
            autocomplete: 'off',
            onInput: ({ currentTarget }) => form.set('tz', currentTarget.value),
          }),
      }),
    ),
    h(
      'datalist',
      { id: 'time-zones' },
      ZONES.map((zone) => h('option', { key: zone, value: zone })),
    ),
    offset !== undefined && h(NextTimes, { cron, tz }),
  );
}

/** How far the clocks of a zone are from UTC now; undefined where there is no such zone: it may be half typed. @param {string} tz */
function offsetOf(tz) {
  try {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone: tz, timeZoneName: 'longOffset' });
    return format
      .formatToParts()
      .find(({ type }) => type === 'timeZoneName')
      ?.value.replace('GMT', 'UTC');
  } catch {
    return undefined;
  }
}

/** On one line. @param {string} cron */
function unbroken(cron) {
  return cron.replaceAll(' ', '\u00a0');
}

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone')];

/** @param {{ cron: string, tz: string }} properties */
function NextTimes({ cron, tz }) {
  /** @type {import('../../../console/answer.js').Answer<{ next: string[] }>} */
  const { data, error } = useAnswer(cron === '' ? null : `/v1/schedules/next${query({ cron, tz })}`);
  const words = cronWords(cron);
  return h(
    'div',
    { class: 'next-times', role: 'status' },
    error !== undefined
      ? h('p', { class: 'note' }, error instanceof Error ? error.message : String(error))
      : data !== undefined && [
          h('p', { key: 'words' }, h('b', null, words === '' ? 'The next five times' : words), ` (${tz}):`),
          h(
            'ol',
            { key: 'times' },
            data.next.map((iso) => h('li', { key: iso }, h(TimeIn, { iso, tz }))),
          ),
        ],
  );
}
