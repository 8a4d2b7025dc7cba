/** Who is in which group now, as files that imports and syncs read back. */
import { useAnswer } from '../../console/answer.js';
import { request } from '../../console/api.js';
import { confirmed } from '../../console/dialog.js';
import { Badge, Card, Empty, foreign, h } from '../../console/element.js';
import { CheckField, TextField, useForm } from '../../console/form.js';
import { counted, grouped } from '../../console/format.js';
import { ErrorNotice, ErrorPlace } from '../../console/notice.js';
import { usePlace } from '../../console/place.js';
import { Time } from '../../console/time.js';
import { Download } from '../../console/view/import/downloads.js';
import { useKeptFocus, useWork, WorkButton } from '../../console/work.js';

/** @import { ExportView } from './api.ts' */

const ASK_EVERY_MS = 1000;
const FORMATS = ['csv', 'ndjson', 'xlsx'];

export function ExportsPage() {
  const { isOperator } = usePlace();
  /** @type {import('../../console/answer.js').Answer<{ exports: readonly ExportView[] }>} */
  const { data, error, reload } = useAnswer('/v1/exports', {
    everyMs: (known) => (known?.exports.every(({ underWay }) => !underWay) ? undefined : ASK_EVERY_MS),
  });
  return [
    h('h1', { key: 'title' }, 'Exports'),
    h(
      'div',
      { key: 'body', class: 'stack' },
      isOperator && h(Card, { id: 'new', title: 'New export' }, h(NewExport, { onBegun: reload })),
      h(
        Card,
        { id: 'all', title: 'All exports' },
        error !== undefined
          ? h(ErrorNotice, { error })
          : data === undefined
            ? h(Empty, {}, 'Loading …')
            : data.exports.length === 0
              ? h(Empty, {}, 'No exports yet.')
              : h(
                  'ul',
                  { class: 'plain exports' },
                  data.exports.map((view) => h(Export, { key: view.id, view, onChanged: reload })),
                ),
      ),
    ),
  ];
}

/** @param {{ onBegun: () => Promise<void> }} properties */
function NewExport({ onBegun }) {
  const form = useForm({ groups: '', users: '', groupsOnly: '' });
  const work = useWork();
  const begin = () =>
    work.start(async (signal) => {
      const { groups = '', users, groupsOnly } = form.read();
      const named = groups.split(/[,\s]+/).filter((guid) => guid !== '');
      const body = JSON.stringify({
        ...(named.length > 0 && { groups: named }),
        users: users === 'true',
        groupsOnly: groupsOnly === 'true',
      });
      await request('/v1/exports', { method: 'POST', body, type: 'application/json', signal });
      await onBegun();
    });
  return h(
    'form',
    {
      class: 'new-import',
      noValidate: true,
      onSubmit: (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        void begin();
      },
    },
    h(
      'p',
      { class: 'note' },
      'Reads who is in which group now: a backup, or the first file for a sync. It takes calls of your rate limit and changes nothing.',
    ),
    h(
      'div',
      { class: 'fields' },
      h(TextField, {
        form,
        name: 'groups',
        label: 'Groups',
        isLong: true,
        placeholder: 'choir, team',
        note: 'GUIDs. Leave empty for all groups.',
      }),
      h(CheckField, { form, name: 'users', label: 'Users with their fields too' }),
      h(CheckField, { form, name: 'groupsOnly', label: 'Only the groups, without members' }),
    ),
    h(ErrorPlace, { error: work.error }),
    h('div', { class: 'buttons' }, h('button', { class: 'main', 'aria-disabled': work.busy }, 'Start export')),
  );
}

/** @type {Readonly<Record<ExportView['state'], 'busy' | 'still' | 'good' | 'attention'>>} */
const TONES = {
  running: 'busy',
  completed: 'good',
  incomplete: 'attention',
  stopped: 'attention',
  unreadable: 'attention',
};

/** @param {{ view: ExportView, onChanged: () => Promise<void> }} properties */
function Export({ view, onChanged }) {
  const { isOperator } = usePlace();
  const work = useWork();
  const buttons = useKeptFocus();
  const { id, state, underWay, totals, createdAt, reason } = view;
  const isInterrupted = state === 'running' && !underWay;
  const hasFiles = state === 'completed' || state === 'incomplete';
  /** @param {string} rest @param {string} method */
  const act = (rest, method) =>
    work.start(async (signal) => {
      await request(`/v1/exports/${encodeURIComponent(id)}${rest}`, { method, signal });
      await onChanged();
    });
  const remove = async () => {
    const yes = await confirmed({
      question: 'Delete this export?',
      explanation: 'Its files will be deleted. Memberships do not change.',
      yes: 'Delete export',
      no: 'Keep it',
    });
    if (yes) await act('', 'DELETE');
  };
  return h(
    'li',
    null,
    h(
      'div',
      { class: 'standing' },
      h(Badge, { tone: isInterrupted ? 'attention' : TONES[state] }, isInterrupted ? 'interrupted' : state),
      h('h3', null, state === 'unreadable' ? id : scopeOf(view)),
      h('span', { class: 'soft' }, h(Time, { iso: createdAt })),
    ),
    state !== 'unreadable' && h('p', { class: 'note', role: 'status' }, progressText(view)),
    state !== 'completed' && !underWay && reason !== '' && h('p', { class: 'note' }, foreign(reason)),
    totals !== null && h('p', { class: 'note' }, totalsText(totals)),
    hasFiles &&
      h(
        'ul',
        { class: 'downloads' },
        view.lists.map((list) =>
          h(Download, {
            key: list,
            name: `${list.charAt(0).toUpperCase()}${list.slice(1)}`,
            links: FORMATS.map((format) => ({
              text: format.toUpperCase(),
              href: `/v1/exports/${encodeURIComponent(id)}/${list}?format=${format}`,
            })),
          }),
        ),
      ),
    isOperator &&
      h(
        'div',
        { class: 'buttons', ref: buttons },
        !underWay &&
          state !== 'completed' &&
          state !== 'unreadable' &&
          h(WorkButton, { busy: work.busy, onClick: () => void act('/resume', 'POST') }, 'Resume export'),
        h(
          WorkButton,
          { busy: work.busy, kind: 'danger quiet', label: `Delete export ${id}`, onClick: () => void remove() },
          'Delete…',
        ),
      ),
    h(ErrorPlace, { error: work.error }),
  );
}

/** @param {ExportView} view */
function scopeOf({ groups, regions }) {
  return `${groups === null ? 'All groups' : counted(groups, 'group')} in ${regions.join(', ')}`;
}

/** @param {ExportView} view */
function progressText({ underWay, progress, calls }) {
  if (!underWay) return counted(calls, 'call');
  if (progress === null) return 'Starting …';
  const { step, done, of } = progress;
  const read = `${grouped(done)}${of === null ? '' : ` of ${grouped(of)}`}`;
  // Members are counted by the groups whose list is read.
  return `${step === 'members' ? `Members of ${read} groups` : `${read} ${step}`} read, ${counted(calls, 'call')}`;
}

/** @param {NonNullable<ExportView['totals']>} totals */
function totalsText({ groups, pending, members, banned, users, unknownScopes, missing, failed }) {
  const parts = [
    counted(groups, 'group'),
    counted(members, 'member'),
    banned > 0 && `${grouped(banned)} banned`,
    users > 0 && counted(users, 'user'),
    pending > 0 && `${counted(pending, 'group')} still to read`,
    unknownScopes > 0 && `${counted(unknownScopes, 'member')} with a scope that no import can read`,
    missing.length > 0 && `not found: ${missing.map(({ guid }) => guid).join(', ')}`,
    failed.length > 0 && `could not be read: ${failed.map(({ guid }) => guid).join(', ')}`,
  ];
  return parts.filter((part) => part !== false).join(' · ');
}
