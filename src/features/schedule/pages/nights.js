/** What became of each schedule on each of the last nights, as a grid. */
import { useEffect, useRef } from 'preact/hooks';
import { useAnswer } from '../../../console/answer.js';
import { Empty, foreign, h, syncHref } from '../../../console/element.js';
import { useChange } from '../../../console/form.js';
import { ErrorNotice } from '../../../console/notice.js';
import { RUN_TONES } from './history.js';

/** @import { Schedule, ScheduleNights } from '../../../console/sync-answers.d.ts' */
/** @typedef {NonNullable<ScheduleNights['schedules'][number]['nights'][number]['state']>} NightState */

/** A sign for each state, so that colour is not the only difference. @type {Readonly<Record<NightState, string>>} */
const SIGNS = {
  running: '…',
  ran: '✓',
  'skipped-unchanged': '=',
  waiting: '!',
  'skipped-running': '»',
  missed: '?',
  paused: '‖',
  failed: '✗',
};

/** @type {Readonly<Record<NightState, string>>} */
const MEANINGS = {
  running: 'running',
  ran: 'ran',
  'skipped-unchanged': 'file unchanged',
  waiting: 'waits for a person',
  'skipped-running': 'skipped: the run before was not over',
  missed: 'missed: no server was running',
  paused: 'paused',
  failed: 'failed',
};

const STATES = /** @type {NightState[]} */ (Object.keys(SIGNS));

/** @param {NightState} state */
function toneOf(state) {
  return state === 'paused' ? 'still' : RUN_TONES[state];
}

/** @param {{ schedules: readonly Schedule[] }} properties as they are now */
export function Nights({ schedules }) {
  /** @type {import('../../../console/answer.js').Answer<ScheduleNights>} */
  const { data, error, reload } = useAnswer('/v1/schedules/nights');
  useChange(JSON.stringify(schedules.map(({ name, lastRun }) => [name, lastRun])), () => void reload());
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  const isThere = data !== undefined;
  // The last night is what people look for.
  useEffect(() => place.current?.scrollTo({ left: place.current.scrollWidth }), [isThere]);
  if (error !== undefined) return h(ErrorNotice, { error });
  if (data === undefined) return h(Empty, {}, 'Loading …');
  const [first] = data.schedules;
  if (first === undefined) return h(Empty, {}, 'No schedules yet.');
  return [
    h(
      'div',
      {
        key: 'grid',
        class: 'nights-place',
        role: 'region',
        'aria-label': 'Nights, scrollable',
        tabIndex: 0,
        ref: place,
      },
      h(
        'div',
        { class: 'nights', role: 'table', 'aria-label': 'Schedules by night' },
        h(
          'div',
          { role: 'row' },
          h('div', { role: 'columnheader', class: 'schedule' }, 'Schedule'),
          first.nights.map(({ day }) =>
            h('div', { key: day, role: 'columnheader' }, h('span', { class: 'unseen' }, dayName(day)), dayNumber(day)),
          ),
        ),
        data.schedules.map((schedule) => h(ScheduleRow, { key: schedule.name, schedule })),
      ),
    ),
    h(
      'ul',
      { key: 'legend', class: 'legend' },
      STATES.map((state) =>
        h(
          'li',
          { key: state },
          h('span', { class: `night ${toneOf(state)}`, 'aria-hidden': true }, SIGNS[state]),
          ` ${MEANINGS[state]}`,
        ),
      ),
    ),
  ];
}

/** @param {{ schedule: ScheduleNights['schedules'][number] }} properties */
function ScheduleRow({ schedule: { name, nights } }) {
  return h(
    'div',
    { role: 'row' },
    h('div', { role: 'rowheader', class: 'schedule' }, h('a', { href: historyHref(name) }, foreign(name))),
    nights.map((night) => h('div', { key: night.day, role: 'cell' }, h(Night, { name, night }))),
  );
}

/** @param {{ name: string, night: ScheduleNights['schedules'][number]['nights'][number] }} properties */
function Night({ name, night: { day, state, reason, sync, runs } }) {
  if (state === null) return h('span', { class: 'night none' }, h('span', { class: 'unseen' }, 'not due'));
  const said = [
    `${name}, ${dayName(day)}: ${MEANINGS[state]}`,
    ...(runs > 1 ? [`the last of ${runs} runs`] : []),
    reason,
  ].join('; ');
  return h(
    'a',
    {
      class: `night ${toneOf(state)}`,
      href: sync === null ? historyHref(name) : syncHref(sync),
      'aria-label': said,
      title: said,
    },
    SIGNS[state],
  );
}

/** @param {string} name */
function historyHref(name) {
  return `/schedules?name=${encodeURIComponent(name)}#history`;
}

const DAY_NAME = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

/** @param {string} day such as 2027-03-28 */
function dayName(day) {
  return DAY_NAME.format(new Date(`${day}T00:00:00Z`));
}

/** @param {string} day */
function dayNumber(day) {
  return h('span', { 'aria-hidden': true }, String(Number(day.slice(8))));
}
