import type { Recipe } from '../../../console/answers.ts';
import { pairsText } from '../../../console/format.ts';
import { settings } from '../../../console/frame.tsx';
import { placeWords } from '../../../console/import-words.ts';
import { WorkButton } from '../../../console/kit/actions.tsx';
import { Time } from '../../../console/kit/elements.tsx';
import { Fields, type Form } from '../../../console/kit/form.tsx';
import { addressOf } from '../../../console/requests.ts';
import { useAnswer, useChange } from '../../../console/use-answer.ts';
import { READ_BY } from '../../../console/view/upload/file-form.ts';
import { SeenFile } from '../../../console/view/upload/file-grid.tsx';
import { FORMAT, shapeText } from '../../../console/view/upload/file-options.ts';
import { RecipeChoice } from '../../../console/view/upload/recipe-choice.tsx';
import { below, type ScheduleForm, textsIn } from './schedule-entry.ts';
import { cronOf, EVERY_CHOICES } from './schedule-rules.ts';
import { cronWords } from './schedules.tsx';

export function WhenFields({ form }: { form: Form }) {
  const every = form.get('every');
  const tz = form.get('tz');
  const offset = offsetOf(tz);
  const cron = cronOf({ every, at: form.get('at'), cron: form.get('cron') });
  return (
    <fieldset class="col">
      <legend>When</legend>
      <Fields
        form={form}
        fields={{
          every: { label: 'Runs', choices: EVERY_CHOICES },
          cron: every === 'cron' && {
            placeholder: '30 2 * * 1-5',
            note: `Minute, hour, day of month, month, weekday; * is every one. ${unbroken('0 6,18 * * 1-5')} is 06:00 and 18:00 from Monday to Friday.`,
          },
          at: every !== 'cron' && {
            label: 'At',
            type: 'time',
            note: cron === '' ? undefined : `As a cron expression: ${unbroken(cron)}`,
          },
          tz: {
            suggestions: ZONES,
            note:
              offset === undefined
                ? 'A city as in the list, such as Europe/Rome, or UTC.'
                : `The time is by the clocks there (now ${offset}), summer time included.`,
          },
        }}
      />
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
const unbroken = (cron: string) => cron.replaceAll(' ', '\u00a0');

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone')];

function NextTimes({ cron, tz }: { cron: string; tz: string }) {
  const { data, error } = useAnswer(cron === '' ? null : addressOf('GET /v1/schedules/next', { query: { cron, tz } }));
  return (
    <div role="status">
      {error !== undefined && <p class="note">{error instanceof Error ? error.message : String(error)}</p>}
      {error === undefined && data !== undefined && (
        <>
          <p>
            <b>{cronWords(cron) || 'The next five times'}</b> ({tz}):
          </p>
          <ol class="plain row">
            {data.next.map((iso) => (
              <li key={iso}>
                <Time iso={iso} tz={tz} />
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}

export function SourceFields({ form }: { form: Form }) {
  const { sources = [], namedSources = {} } = settings.value ?? {};
  const places = sources.map((source) => [below(source), placeWords(source, namedSources)] as const);
  return (
    <fieldset class="gap col">
      <legend>File</legend>
      <Fields
        form={form}
        fields={{
          file: {
            label: 'File or pattern',
            isLong: true,
            suggestions: places,
            note: `The server allows ${places.map(([, words]) => words).join(', ')}; ROLLCALL_SOURCES, where it is started, names others. Of a pattern such as *.csv, each run reads the newest match.`,
          },
          headers: isWeb(form.get('file')) && {
            label: 'Headers',
            placeholder: 'Authorization=SOURCE_HR_TOKEN',
            note: 'Each with the environment variable of the server that has its value. The value is never shown.',
          },
        }}
      />
    </fieldset>
  );
}

function isWeb(file: string) {
  return /^https?:/.test(file);
}

export function SourceFile({ form }: { form: ScheduleForm }) {
  const { isShown } = form;
  const isFetched = isWeb(form.get('file'));
  useChange(JSON.stringify([...READ_BY, 'exportOf'].map((name) => form.get(name))), () => {
    // A file from the network is fetched again only when someone asks for it.
    if (form.isWanted && !isFetched) form.askSoon();
  });
  return (
    <>
      <RecipeFill form={form} />
      <div class="buttons row">
        <WorkButton busy={form.isReading.value} onClick={() => void form.ask(true)}>
          {isShown ? 'Show the file again' : 'Show the file'}
        </WorkButton>
        {isShown && isFetched && <p class="note">Show it again after a change: it is fetched each time.</p>}
      </div>
      <SeenFile form={form} />
    </>
  );
}

/** Fills the fields by which a file is read. The schedule keeps them, whatever becomes of the recipe. */
function RecipeFill({ form }: { form: ScheduleForm }) {
  const { data } = useAnswer<{ recipes: readonly Recipe[] }>('/v1/recipes');
  // Identity and group files are named on the command line.
  const recipes = (data?.recipes ?? [])
    .filter(({ needs }) => !needs.some(({ what, optional }) => what !== 'guid' && !optional))
    .map((recipe) => ({ ...recipe, needs: recipe.needs.filter(({ what }) => what === 'guid') }));
  const chosen = recipes.find(({ name }) => name === form.get('recipe'));
  useChange(chosen?.name, () => {
    form.clear([...FORMAT, 'exportOf', 'map', 'shape']);
    const { map = {}, shape, ...plain } = chosen?.settings ?? {};
    form.assign({ ...textsIn(plain), map: pairsText(map), shape: shapeText(shape) });
  });
  return (
    <RecipeChoice
      form={form}
      known={recipes}
      note="Fills in how the file is read. The schedule keeps that, also when the recipe changes later. Recipes that need an identity or group file are for schedules made on the command line."
    />
  );
}
