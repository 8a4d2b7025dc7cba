/** A grid of the results of each schedule on each of the last nights. */
import { useEffect, useRef } from 'preact/hooks';
import { useAnswer } from '../../../console/answer.ts';
import { Empty, foreign, syncHref } from '../../../console/element.tsx';
import { useChange } from '../../../console/form.tsx';
import { ErrorNotice } from '../../../console/notice.tsx';
import type { ScheduleView as Schedule, ScheduleNights } from '../api.ts';
import { RUN_TONES } from './history.tsx';

type NightState = NonNullable<ScheduleNights['schedules'][number]['nights'][number]['state']>;

/** A sign for each state, so that colour is not the only difference. */
const SIGNS: Readonly<Record<NightState, string>> = {
  running: '…',
  ran: '✓',
  'skipped-unchanged': '=',
  waiting: '!',
  'skipped-running': '»',
  missed: '?',
  paused: '‖',
  failed: '✗',
};

const MEANINGS: Readonly<Record<NightState, string>> = {
  running: 'running',
  ran: 'ran',
  'skipped-unchanged': 'file unchanged',
  waiting: 'waits for a person',
  'skipped-running': 'skipped: the run before was not over',
  missed: 'missed: no server was running',
  paused: 'paused',
  failed: 'failed',
};

const STATES = Object.keys(SIGNS) as NightState[];

function toneOf(state: NightState) {
  return state === 'paused' ? 'still' : RUN_TONES[state];
}

/** `schedules`: as they are now. */
export function Nights({ schedules }: { schedules: readonly Schedule[] }) {
  const { data, error, reload } = useAnswer<ScheduleNights>('/v1/schedules/nights');
  useChange(JSON.stringify(schedules.map(({ name, lastRun }) => [name, lastRun])), () => void reload());
  const place = useRef<HTMLDivElement | null>(null);
  const isThere = data !== undefined;
  // The last night is what people look for.
  useEffect(() => place.current?.scrollTo({ left: place.current.scrollWidth }), [isThere]);
  if (error !== undefined) return <ErrorNotice error={error} />;
  if (data === undefined) return <Empty>Loading …</Empty>;
  const [first] = data.schedules;
  if (first === undefined) return <Empty>No schedules yet.</Empty>;
  return (
    <>
      <div class="nights-place" role="region" aria-label="Nights, scrollable" tabIndex={0} ref={place}>
        <div class="nights" role="table" aria-label="Schedules by night">
          <div role="row">
            <div role="columnheader" class="schedule">
              Schedule
            </div>
            {first.nights.map(({ day }) => (
              <div key={day} role="columnheader">
                <span class="unseen">{dayName(day)}</span>
                {dayNumber(day)}
              </div>
            ))}
          </div>
          {data.schedules.map((schedule) => (
            <ScheduleRow key={schedule.name} schedule={schedule} />
          ))}
        </div>
      </div>
      <ul class="legend">
        {STATES.map((state) => (
          <li key={state}>
            <span class={`night ${toneOf(state)}`} aria-hidden>
              {SIGNS[state]}
            </span>{' '}
            {MEANINGS[state]}
          </li>
        ))}
      </ul>
    </>
  );
}

function ScheduleRow({ schedule: { name, nights } }: { schedule: ScheduleNights['schedules'][number] }) {
  return (
    <div role="row">
      <div role="rowheader" class="schedule">
        <a href={historyHref(name)}>{foreign(name)}</a>
      </div>
      {nights.map((night) => (
        <div key={night.day} role="cell">
          <Night name={name} night={night} />
        </div>
      ))}
    </div>
  );
}

interface NightProperties {
  name: string;
  night: ScheduleNights['schedules'][number]['nights'][number];
}

function Night({ name, night: { day, state, reason, sync, runs } }: NightProperties) {
  if (state === null)
    return (
      <span class="night none">
        <span class="unseen">not due</span>
      </span>
    );
  const said = [
    `${name}, ${dayName(day)}: ${MEANINGS[state]}`,
    ...(runs > 1 ? [`the last of ${runs} runs`] : []),
    reason,
  ].join('; ');
  return (
    <a
      class={`night ${toneOf(state)}`}
      href={sync === null ? historyHref(name) : syncHref(sync)}
      aria-label={said}
      title={said}
    >
      {SIGNS[state]}
    </a>
  );
}

function historyHref(name: string) {
  return `/schedules?name=${encodeURIComponent(name)}#history`;
}

const DAY_NAME = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

/** @param day such as 2027-03-28 */
function dayName(day: string) {
  return DAY_NAME.format(new Date(`${day}T00:00:00Z`));
}

function dayNumber(day: string) {
  return <span aria-hidden>{String(Number(day.slice(8)))}</span>;
}
