import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { settings } from '../../../console/frame.tsx';
import { forget, useEntry } from '../../../console/kept-entries.ts';
import { Actions, useWork, WorkButton } from '../../../console/kit/actions.tsx';
import { Card, Empty, ErrorPlace, foreign, Pending, scheduleHref, syncHref } from '../../../console/kit/elements.tsx';
import { Fields, FoldedFields, type Form, focusField } from '../../../console/kit/form.tsx';
import { usePlace, useTitle } from '../../../console/place.ts';
import { ApiError, addressOf, call } from '../../../console/requests.ts';
import { useAnswer } from '../../../console/use-answer.ts';
import { Creating } from '../../../console/view/upload/creating-fields.tsx';
import { ReadingFields } from '../../../console/view/upload/reading-fields.tsx';
import { askAgainAfter, GuardLimits, PlanLegend, Standing } from '../../sync/pages/plan.tsx';
import { guardsSentence, planFields } from '../../sync/pages/plan-rules.ts';
import type { ScheduleView as Schedule } from '../operations.ts';
import { EACH_RUN, ScheduleForm } from './schedule-entry.ts';
import { SourceFields, SourceFile, WhenFields } from './schedule-fields.tsx';
import { scheduleName } from './schedule-rules.ts';

/** `/schedules/new` and `/schedules/<name>/edit` */
export function Page() {
  const { param: edited, isOperator } = usePlace();
  const schedule = useAnswer(edited === '' ? null : addressOf('GET /v1/schedules/:name', { name: edited }));
  const title = edited === '' ? 'New schedule' : `Edit ${edited}`;
  useTitle(title);
  const known = settings.value;
  return (
    <>
      <h1 tabIndex={-1}>{foreign(title)}</h1>
      {!isOperator ? (
        <Empty>Schedules are made and edited by operators.</Empty>
      ) : schedule.error !== undefined || known === undefined || (edited !== '' && schedule.data === undefined) ? (
        <Pending error={schedule.error} />
      ) : known.sources.length === 0 && edited === '' ? (
        <NoSources />
      ) : (
        <ScheduleCard before={schedule.data} reload={schedule.reload} />
      )}
    </>
  );
}

function NoSources() {
  return (
    <div class="notice">
      <p>
        Schedules made here read only folders and addresses that the server allows, and it allows none. Name them where
        it is started, for example: <code>ROLLCALL_SOURCES=/srv/exports,https://hr.example.com/exports/</code>
      </p>
      <p>
        Schedules that read any other file are added on the command line of the server’s machine:{' '}
        <code>rollcall schedule add nightly --cron "30 2 * * *" --tz Europe/Rome --file members.csv</code>
      </p>
    </div>
  );
}

function EachRun({ form, before }: { form: Form; before: Schedule | undefined }) {
  const notifyHost = settings.value?.notifyHost ?? null;
  return (
    <fieldset class="col">
      <legend>Each run</legend>
      <Fields form={form} fields={[...planFields(form.values.value), ...EACH_RUN]} />
      <GuardLimits form={form} />
      {before?.protectFile !== undefined && (
        <p class="note">The UIDs of {foreign(before.protectFile)} are protected besides.</p>
      )}
      <p class="note">
        {notifyHost === null
          ? 'No one is notified of runs that fail or are held; an admin can say who is, under Settings.'
          : `Runs that fail or are held are notified to ${notifyHost}.`}
      </p>
    </fieldset>
  );
}

/** @param before the one to edit; undefined: a new one */
function ScheduleCard({ before, reload }: { before: Schedule | undefined; reload: () => Promise<void> }) {
  const { go } = usePlace();
  const place = location.pathname;
  const form = useEntry(place, () => new ScheduleForm(settings.value?.sources ?? [], before));
  const work = useWork();
  const tried = useSignal('');
  const isKept = useMemo(() => form.isUnsaved(), [form]);
  const isLate = work.error instanceof ApiError && work.error.code === 'EDITED_MEANWHILE';
  useEffect(() => {
    // Loads what another person has saved: saving once more then replaces that.
    if (isLate) void reload();
  }, [isLate]);
  const attempt = (task: (signal: AbortSignal) => Promise<void>) =>
    work.start((signal) => form.attempt(() => task(signal)));
  const save = () =>
    attempt(async (signal) => {
      const { name } = form;
      await (before === undefined
        ? call('POST /v1/schedules', { body: { ...form.settings, name } }, signal)
        : call('PUT /v1/schedules/:name', { name, body: { ...form.settings, version: form.version } }, signal));
      forget(place);
      go(scheduleHref(name));
    });
  const discarding = {
    text: 'Discard mine, and show theirs',
    act: async () => {
      forget(place);
      go(place);
    },
  };
  const savingAnyway = {
    text: 'Save mine anyway',
    kind: 'danger',
    act: async () => {
      form.version = before?.version ?? form.version;
      await save();
    },
  };
  const tryIt = () =>
    attempt(async (signal) => {
      const body = { ...form.settings, name: before?.name };
      tried.value = (await call('POST /v1/schedules/try', { body }, signal)).id;
    });
  return (
    <Card id="settings" title="Settings">
      <form
        class="gap col"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {isKept && (
          <p class="note">
            This is what you entered before; it is not saved.{' '}
            <button type="button" class="link" onClick={() => forget(place)}>
              Discard it
            </button>
          </p>
        )}
        <Effect form={form} />
        <div class="pair">
          <div class="gap col">
            {before === undefined && <NameField form={form} />}
            <WhenFields form={form} />
          </div>
          <SourceFields form={form} />
        </div>
        <SourceFile form={form} />
        <div class="folds col">
          <ReadingFields form={form} isArchive />
          <FoldedFields title="Columns and shape as text" form={form} fields={AS_TEXT} />
          <EachRun form={form} before={before} />
          <Creating form={form} above="the plan is held" />
        </div>
        <div class="col">
          <WorkButton busy={work.busy} onClick={tryIt}>
            Try it now
          </WorkButton>
          <p class="note">Reads the file, lists its groups, and shows what a run would do. Nothing is sent.</p>
          <div role="status">{tried.value !== '' && <Tried id={tried.value} />}</div>
        </div>
        <ErrorPlace error={work.error} />
        <div class="buttons row">
          <button type="submit" class="main" aria-disabled={work.busy}>
            {before === undefined ? 'Add schedule' : 'Save changes'}
          </button>
          {isLate && <Actions list={[discarding, savingAnyway]} />}
          <a class="button" href="/schedules" onClick={() => forget(place)}>
            Cancel
          </a>
        </div>
      </form>
    </Card>
  );
}

/** Says whether a person decides about each plan. */
function Effect({ form }: { form: Form }) {
  const applies = form.get('apply') === 'true';
  return (
    <div class={applies ? 'notice row' : 'notice calm row'}>
      <p role="status">
        <b>{applies ? 'This schedule applies its plans by itself:' : 'This schedule only plans:'}</b>{' '}
        {applies
          ? 'each run sends its changes at once, unless a guard objects.'
          : 'nothing is sent until a person has looked at the plan and applied it.'}
      </p>
      <button type="button" class="link" onClick={() => focusField('apply')}>
        Change this
      </button>
    </div>
  );
}

/** For what is known without a look at the file. */
const AS_TEXT = {
  map: {
    label: 'Columns with other names',
    placeholder: 'uid=Member ID, guid=Team',
    note: 'Leave empty where the names are recognised.',
  },
  shape: {
    label: 'Shape (JSON)',
    placeholder: '{"lists":{"admin":["owners"]}}',
    note: 'All of it, also what no field above can say; docs/shaping.md has every setting.',
  },
};

function NameField({ form }: { form: Form }) {
  const name = scheduleName(form.get('name').trim());
  const note = name === '' ? 'A few words, such as “Nightly roster”.' : `It will be called ${name}.`;
  return <Fields form={form} fields={{ name: { label: 'Name', placeholder: 'Nightly roster', note } }} />;
}

/** The plan of a try. @param id of its sync */
function Tried({ id }: { id: string }) {
  const { data, error } = useAnswer(addressOf('GET /v1/syncs/:id', { id }), { everyMs: askAgainAfter });
  // It may still be that of the try before.
  if (error !== undefined || data?.id !== id) return <Pending error={error}>Getting the file …</Pending>;
  const { state, guards, totals } = data;
  return (
    <>
      <Standing sync={data} />
      {guards.length > 0 && <p class="attention">A run would be held. {guardsSentence(guards)}</p>}
      {totals !== null && <PlanLegend actions={totals.actions} />}
      {state !== 'planning' && (
        <p>
          <a href={syncHref(id)} target="_blank" rel="noopener">
            The plan (new tab)
          </a>
        </p>
      )}
    </>
  );
}
