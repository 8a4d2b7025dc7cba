/** A schedule that is made, copied or edited. */
import { signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useAnswer } from '../../../console/answer.js';
import { ApiError, request } from '../../../console/api.js';
import { Card, Empty, foreign, h } from '../../../console/element.js';
import { CheckField, Form, focusField, TextField } from '../../../console/form.js';
import { forget, useEntry } from '../../../console/kept-entries.js';
import { ErrorNotice, ErrorPlace } from '../../../console/notice.js';
import { usePlace, useTitle } from '../../../console/place.js';
import { saidBeside } from '../../../console/remedies.js';
import { Creating, creatingField } from '../../../console/view/upload/creating.js';
import { FileFormat, RowDefaults, RunLimits } from '../../../console/view/upload/reading.js';
import { Shaping } from '../../../console/view/upload/shaping.js';
import { useWork } from '../../../console/work.js';
import { GuardLimits, planChecks, planFields } from '../../sync/pages/plan-fields.js';
import { NameField, nameIn } from './name-field.js';
import { FieldError, fieldsOf, fileOf, KEPT, SCHEDULE, settingsOf } from './settings-form.js';
import { SourceFields } from './source-fields.js';
import { SourceFile } from './source-file.js';
import { SourcePreview } from './source-preview.js';
import { TryIt } from './try.js';
import { WhenFields } from './when.js';

/** @import { Settings } from '../../../console/answers.d.ts' */
/** @import { Schedule } from '../../../console/sync-answers.d.ts' */

/** `/schedules/new`, also with `?copy=name`, and `/schedules/<name>/edit` */
export function ScheduleFormPage() {
  const { param: edited, query, isOperator } = usePlace();
  const copied = query.get('copy') ?? '';
  const known = edited || copied;
  /** @type {import('../../../console/answer.js').Answer<Settings>} */
  const settings = useAnswer('/v1/settings');
  /** @type {import('../../../console/answer.js').Answer<Schedule>} */
  const schedule = useAnswer(known === '' ? null : schedulePath(known));
  const title = edited !== '' ? `Edit ${edited}` : copied !== '' ? `Copy of ${copied}` : 'New schedule';
  useTitle(title);
  const error = settings.error ?? schedule.error;
  const isThere = settings.data !== undefined && (known === '' || schedule.data !== undefined);
  return [
    h('p', { class: 'kicker' }, h('a', { href: '/schedules' }, 'Schedules')),
    h('h1', { tabIndex: -1 }, foreign(title)),
    error !== undefined
      ? h(ErrorNotice, { error })
      : !isOperator
        ? h(Empty, {}, 'Schedules are made and edited by operators.')
        : settings.data === undefined || !isThere
          ? h(Empty, {}, 'Loading …')
          : settings.data.sources.length === 0 && edited === ''
            ? h(NoSources, {})
            : h(ScheduleForm, {
                settings: settings.data,
                before: schedule.data,
                isEdit: edited !== '',
                reload: schedule.reload,
              }),
  ];
}

/** Why none can be made here. */
function NoSources() {
  return h(
    'div',
    { class: 'notice' },
    h(
      'p',
      null,
      'Schedules made here read only folders and addresses that the server allows, and it allows none: ',
      h('code', null, 'ROLLCALL_SOURCES'),
      ' is not set. Set it where the server is started, for example:',
    ),
    h('p', null, h('code', null, 'ROLLCALL_SOURCES=/srv/exports,https://hr.example.com/exports/')),
    h('p', null, 'Schedules that read any other file are added on the command line of the server’s machine:'),
    h(
      'p',
      null,
      h('code', null, 'rollcall schedule add nightly --cron "30 2 * * *" --tz Europe/Rome --file members.csv'),
    ),
  );
}

/**
 * @param {object} properties
 * @param {Settings} properties.settings
 * @param {Schedule | undefined} properties.before the one to edit or copy
 * @param {boolean} properties.isEdit
 * @param {() => Promise<void>} properties.reload asks for it again
 */
function ScheduleForm({ settings, before, isEdit, reload }) {
  const { go } = usePlace();
  const work = useWork();
  // Of its own: a schedule is saved also while its file is looked at.
  const looking = useWork();
  /** The field of which the last look showed an error. */
  const missed = useRef('');
  const { sources } = settings;
  const place = location.pathname + location.search;
  const entry = useEntry(place, () => newEntry(sources, before));
  const { form, preview, version } = entry;
  const isKept = useMemo(entry.isUnsaved, [entry]);
  const isLate = work.error instanceof ApiError && work.error.code === 'EDITED_MEANWHILE';
  useEffect(() => {
    // Loads what another person has saved: saving once more then replaces that.
    if (isLate) void reload();
  }, [isLate]);

  /** @param {(signal: AbortSignal) => Promise<void>} task */
  const attempt = (task, under = work) =>
    under.start(async (signal) => {
      // A look may begin by itself, and leaves what was said when a person saved.
      form.clearErrors(under === work ? undefined : (name) => name === missed.current);
      try {
        await task(signal);
      } catch (error) {
        const [field, text] =
          error instanceof FieldError
            ? [error.field, error.message]
            : error instanceof ApiError && error.code !== 'EDITED_MEANWHILE'
              ? [error.problem.field ?? '', saidBeside(error.problem)]
              : ['', ''];
        const control = controlOf(field, form);
        if (field === '' || !form.showError(control, text)) throw error;
        if (under === looking) missed.current = control;
      }
    });
  const save = () =>
    attempt(async (signal) => {
      const name = isEdit ? '' : nameIn(form.read());
      const made = settingsOf(form.read(), before, preview.columnOf('uid'));
      const body = isEdit
        ? { ...made, version: version.peek() }
        : { ...made, name, ...(before !== undefined && { copyOf: before.name }) };
      const path = isEdit ? schedulePath(before?.name ?? '') : '/v1/schedules';
      /** @type {Schedule} */
      const saved = await request(path, { method: isEdit ? 'PUT' : 'POST', signal, ...json(body) });
      forget(place);
      go(`/schedules?name=${encodeURIComponent(saved.name)}#history`);
    });
  /** What a look and a try are asked with. */
  const untimed = () => {
    const { cron: _, tz: __, ...made } = settingsOf(form.read(), before, preview.columnOf('uid'));
    return { ...made, ...(before !== undefined && { name: before.name }) };
  };
  const look = () => attempt((signal) => preview.ask(untimed(), signal), looking);
  /** @returns {Promise<string | undefined>} */
  const tryIt = async () => {
    /** @type {string | undefined} */
    let id;
    await attempt(async (signal) => {
      const sync = await request('/v1/schedules/try', { method: 'POST', signal, ...json(untimed()) });
      id = sync.id;
    });
    return id;
  };
  return h(
    Card,
    { id: 'settings', title: 'Settings' },
    h(
      'form',
      {
        class: 'new-import schedule',
        noValidate: true,
        onSubmit: (event) => {
          event.preventDefault();
          void save();
        },
      },
      isKept &&
        h(
          'p',
          { class: 'note' },
          'This is what you entered before; it is not saved. ',
          h('button', { type: 'button', class: 'link', onClick: () => forget(place) }, 'Discard it'),
        ),
      h(Effect, { form }),
      h(
        'div',
        { class: 'pair' },
        h('div', { class: 'when' }, !isEdit && h(NameField, { form }), h(WhenFields, { form })),
        h(SourceFields, { form, sources, before, preview }),
      ),
      h(SourceFile, {
        form,
        preview,
        file: form.get('root') === KEPT ? (before?.file ?? '') : fileOf(form.values.value),
        busy: looking.busy,
        onLook: () => void look(),
      }),
      h(RowDefaults, { form }),
      h(FileFormat, { form, preview, isArchive: true }),
      h(Shaping, { preview, form }),
      h(MoreReading, { form }),
      h(
        'fieldset',
        null,
        h('legend', null, 'Each run'),
        h('div', { class: 'fields' }, planFields(form), h(RunLimits, { form })),
        h(
          'div',
          { class: 'checks' },
          planChecks(form),
          h(CheckField, { form, name: 'repair', label: 'Check the groups even if the file is unchanged' }),
          h(CheckField, { form, name: 'catchUp', label: 'Run once when the server starts, if a run was missed' }),
        ),
        h(GuardLimits, { form }),
        (before?.protectFile ?? null) !== null &&
          h('p', { class: 'note' }, 'The UIDs of ', foreign(before?.protectFile ?? ''), ' are protected besides.'),
        h(
          'p',
          { class: 'note' },
          settings.notifyHost === null
            ? 'No one is notified of runs that fail or are held; an admin can say who is, under Settings.'
            : `Runs that fail or are held are notified to ${settings.notifyHost}.`,
        ),
      ),
      h(Creating, { form, above: 'the plan is held' }),
      h(TryIt, { busy: work.busy, onTry: tryIt }),
      h(ErrorPlace, { error: work.error ?? looking.error }),
      h(
        'div',
        { class: 'buttons' },
        h('button', { class: 'main', 'aria-disabled': work.busy }, isEdit ? 'Save changes' : 'Add schedule'),
        isLate && [
          h(
            'button',
            {
              key: 'theirs',
              type: 'button',
              onClick: () => {
                forget(place);
                go(location.pathname);
              },
            },
            'Discard mine, and show theirs',
          ),
          h(
            'button',
            {
              key: 'mine',
              type: 'button',
              class: 'danger',
              onClick: () => {
                version.value = before?.version ?? version.peek();
                void save();
              },
            },
            'Save mine anyway',
          ),
        ],
        h('a', { class: 'button', href: '/schedules', onClick: () => forget(place) }, 'Cancel'),
      ),
    ),
  );
}

/** Whether a person decides about each plan. @param {{ form: Form }} properties */
function Effect({ form }) {
  const applies = form.get('apply') === 'true';
  return h(
    'div',
    { class: applies ? 'effect applies' : 'effect' },
    h(
      'p',
      { role: 'status' },
      applies
        ? [
            h('b', { key: 'b' }, 'This schedule applies its plans by itself:'),
            ' each run sends its changes at once, unless a guard objects.',
          ]
        : [
            h('b', { key: 'b' }, 'This schedule only plans:'),
            ' nothing is sent until a person has looked at the plan and applied it.',
          ],
    ),
    h('button', { type: 'button', class: 'link', onClick: () => focusField('apply') }, 'Change this'),
  );
}

/** The form of a new schedule, or of one as it is. @param {readonly string[]} sources @param {Schedule | undefined} before */
function newEntry(sources, before) {
  const form = new Form({
    ...SCHEDULE,
    tz: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    root: sources[0] ?? '',
    ...(before !== undefined && fieldsOf(before, sources)),
  });
  const version = signal(before?.version ?? 0);
  return { form, preview: new SourcePreview(form), version, isUnsaved: () => form.isChanged };
}

/** Columns and shape as text: also without a look at the file. @param {{ form: Form }} properties */
function MoreReading({ form }) {
  return h(
    'details',
    null,
    h('summary', null, 'Columns and shape as text'),
    h(
      'div',
      { class: 'fields' },
      h(TextField, {
        form,
        name: 'map',
        label: 'Columns with other names',
        placeholder: 'uid=Member ID, guid=Team',
        note: 'Leave empty where the names are recognised.',
      }),
      h(TextField, {
        form,
        name: 'shape',
        label: 'More of the shape (JSON)',
        placeholder: '{"lists":{"admin":["owners"]}}',
        note: 'What no field above can say; docs/files.md has every setting.',
      }),
    ),
  );
}

/** The control that a field of the API belongs to. @param {string} field @param {Form} form */
function controlOf(field, form) {
  if (field === 'file') return form.get('root') === KEPT ? 'root' : 'path';
  if (field === 'giveUpAfterMs') return 'giveUpAfter';
  if (field === 'reading.expectRows') return 'expectRows';
  if (field === 'cron') return form.get('every') === 'cron' ? 'cron' : 'at';
  return creatingField(field, form);
}

/** @param {string} name */
function schedulePath(name) {
  return `/v1/schedules/${encodeURIComponent(name)}`;
}

/** @param {object} body */
function json(body) {
  return { body: JSON.stringify(body), type: 'application/json' };
}
