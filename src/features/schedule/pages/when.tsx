/** The times of a schedule: in words, as an expression, and the next five. */
import { useRef } from 'preact/hooks';
import { TimeIn } from '../../../console/kit/elements.tsx';
import { type Form, SelectField, TextField, useChange } from '../../../console/kit/form.tsx';
import { addressOf } from '../../../console/requests.ts';
import { useAnswer } from '../../../console/use-answer.ts';
import { cronWords } from './schedules.tsx';
import { cronOf, EVERY_CHOICES } from './settings-form.ts';

export function WhenFields({ form }: { form: Form }) {
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
  return (
    <fieldset>
      <legend>When</legend>
      <div class="fields">
        <SelectField form={form} name="every" label="Runs" choices={EVERY_CHOICES} />
        {every === 'cron' ? (
          <TextField
            form={form}
            name="cron"
            placeholder="30 2 * * 1-5"
            note={`Minute, hour, day of month, month, weekday; * is every one. ${unbroken('0 6,18 * * 1-5')} is 06:00 and 18:00 from Monday to Friday.`}
          />
        ) : (
          <TextField
            form={form}
            name="at"
            label="At"
            type="time"
            note={cron === '' ? undefined : `As a cron expression: ${unbroken(cron)}`}
          />
        )}
        <TextField
          form={form}
          name="tz"
          suggestions={ZONES}
          note={
            offset === undefined
              ? 'A city as in the list, such as Europe/Rome, or UTC.'
              : `The time is by the clocks there (now ${offset}), summer time included.`
          }
        />
      </div>
      {offset !== undefined && <NextTimes cron={cron} tz={tz} />}
    </fieldset>
  );
}

/** Returns the present offset of a time zone from UTC; undefined if there is no such zone: it may be half typed. */
function offsetOf(tz: string) {
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

/** On one line. */
function unbroken(cron: string) {
  return cron.replaceAll(' ', '\u00a0');
}

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone')];

function NextTimes({ cron, tz }: { cron: string; tz: string }) {
  const { data, error } = useAnswer(cron === '' ? null : addressOf('GET /v1/schedules/next', { query: { cron, tz } }));
  const words = cronWords(cron);
  return (
    <div class="next-times" role="status">
      {error !== undefined ? (
        <p class="note">{error instanceof Error ? error.message : String(error)}</p>
      ) : (
        data !== undefined && (
          <>
            <p>
              <b>{words === '' ? 'The next five times' : words}</b> ({tz}):
            </p>
            <ol>
              {data.next.map((iso) => (
                <li key={iso}>
                  <TimeIn iso={iso} tz={tz} />
                </li>
              ))}
            </ol>
          </>
        )
      )}
    </div>
  );
}
