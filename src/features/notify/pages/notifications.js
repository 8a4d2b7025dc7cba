/** Who is notified of imports and syncs: set and tried by admins. */
import { useSignal } from '@preact/signals';
import { useAnswer } from '../../../console/answer.js';
import { ApiError, request } from '../../../console/api.js';
import { confirmed } from '../../../console/dialog.js';
import { Empty, foreign, h } from '../../../console/element.js';
import { TextField, useForm } from '../../../console/form.js';
import { ErrorNotice, ErrorPlace } from '../../../console/notice.js';
import { saidOf } from '../../../console/remedies.js';
import { showOnce } from '../../../console/view/settings/shown-once.js';
import { useKeptFocus, useWork, WorkButton } from '../../../console/work.js';

/** @import { NotificationsView, NotificationTried, ReceiverSet } from '../../../console/answers.d.ts' */

const PATH = '/v1/notifications';

/** @param {{ onChanged: () => void }} properties */
export function Notifications({ onChanged }) {
  /** @type {import('../../../console/answer.js').Answer<NotificationsView>} */
  const { data: view, error, reload } = useAnswer(PATH);
  const place = useKeptFocus();
  if (error !== undefined) return h(ErrorNotice, { error });
  if (view === undefined) return h(Empty, {}, 'Loading …');
  const changed = async () => {
    await reload();
    onChanged();
  };
  return h(
    'div',
    { class: 'stack', ref: place },
    h(Standing, { view }),
    view.host !== null && h(Actions, { view, onChanged: changed }),
    !view.fixed && h(Receiver, { isFirst: view.host === null, onChanged: changed }),
  );
}

/** @param {{ view: NotificationsView }} properties */
function Standing({ view: { host, fixed, problem } }) {
  if (problem !== null) return h('p', { class: 'notice attention' }, 'No one is notified. ', foreign(problem));
  if (host === null) return h('p', null, 'No one is notified of imports and syncs that end or need a person.');
  return h(
    'p',
    null,
    h('b', null, foreign(host)),
    ' is notified of imports and syncs that end or need a person. ',
    fixed && 'It was set when the server was started, and can only be changed there.',
  );
}

/** @param {{ view: NotificationsView, onChanged: () => Promise<void> }} properties */
function Actions({ view: { host, fixed }, onChanged }) {
  const work = useWork();
  const said = useSignal('');
  const test = () =>
    work.start(async (signal) => {
      said.value = 'Sending …';
      try {
        /** @type {NotificationTried} */
        const tried = await request(`${PATH}/test`, { method: 'POST', signal });
        const { arrived, reason } = tried;
        said.value = arrived ? `It arrived at ${tried.host}.` : `It did not arrive at ${tried.host}: ${reason}.`;
      } catch (error) {
        said.value = '';
        throw error;
      }
    });
  const stop = async () => {
    const yes = await confirmed({
      question: `Notify ${host} no more?`,
      explanation: 'What is not delivered yet is dropped. To notify it again, its address must be entered again.',
      yes: 'Stop notifying',
      no: 'Keep it',
    });
    if (!yes) return;
    await work.start(async (signal) => {
      await request(PATH, { method: 'DELETE', signal });
      await onChanged();
    });
  };
  return [
    h(
      'div',
      { key: 'buttons', class: 'buttons' },
      h(WorkButton, { busy: work.busy, onClick: () => void test() }, 'Send a test'),
      !fixed && h(WorkButton, { busy: work.busy, kind: 'danger quiet', onClick: () => void stop() }, 'Stop notifying…'),
    ),
    h('p', { key: 'said', role: 'status' }, said.value),
    h(ErrorPlace, { key: 'error', error: work.error }),
  ];
}

/** @param {{ isFirst: boolean, onChanged: () => Promise<void> }} properties */
function Receiver({ isFirst, onChanged }) {
  const form = useForm({ address: '', secret: '' });
  const work = useWork();
  const save = () =>
    work.start(async (signal) => {
      const { address, secret } = form.read();
      const body = JSON.stringify({ address, ...(secret !== '' && { secret }) });
      try {
        /** @type {ReceiverSet} */
        const set = await request(PATH, { method: 'PUT', body, type: 'application/json', signal });
        form.assign({ address: '', secret: '' });
        if (set.secret !== null) await showOnce('The signing secret', 'The receiver needs it too.', set.secret);
        await onChanged();
      } catch (error) {
        const field = error instanceof ApiError ? error.problem.field : undefined;
        if (field === undefined || !form.showError(field, saidOf(/** @type {ApiError} */ (error).problem))) throw error;
      }
    });
  return h(
    'form',
    {
      class: 'receiver',
      noValidate: true,
      onSubmit: (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        void save();
      },
    },
    h(
      'div',
      { class: 'fields' },
      h(TextField, {
        form,
        name: 'address',
        label: isFirst ? 'Address' : 'Another address',
        placeholder: 'https://hooks.example/rollcall',
        note: 'Or slack+https:// and teams+https://, or smtp:// with from and to. It is not shown again.',
      }),
      h(TextField, {
        form,
        name: 'secret',
        label: 'Signing secret',
        placeholder: 'whsec_…',
        note: 'For https:// only. Leave it empty to have one made.',
      }),
    ),
    h(ErrorPlace, { error: work.error }),
    h('div', { class: 'buttons' }, h('button', { class: 'main', 'aria-disabled': work.busy }, 'Save receiver')),
  );
}
