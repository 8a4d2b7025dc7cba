/** The page of the receiver of notifications, which admins set and try. */

import { useSignal } from '@preact/signals';
import { Actions, EntryForm, useKeptFocus } from '../../console/kit/actions.tsx';
import { showOnce } from '../../console/kit/copy.tsx';
import { foreign, Pending } from '../../console/kit/elements.tsx';
import { addressOf, call } from '../../console/requests.ts';
import { useAnswer } from '../../console/use-answer.ts';
import type { NotificationsView } from './operations.ts';

export function Notifications({ onChanged }: { onChanged: () => void }) {
  const { data: view, error, reload } = useAnswer(addressOf('GET /v1/notifications', {}));
  const place = useKeptFocus();
  if (error !== undefined || view === undefined) return <Pending error={error} />;
  const changed = async () => {
    await reload();
    onChanged();
  };
  return (
    <div class="stack" ref={place}>
      {standing(view)}
      {view.host !== null && <ReceiverActions view={view} onChanged={changed} />}
      {!view.fixed && <Receiver isFirst={view.host === null} onChanged={changed} />}
    </div>
  );
}

function standing({ host, fixed, problem }: NotificationsView) {
  if (problem !== null) return <p class="notice attention">No one is notified. {foreign(problem)}</p>;
  if (host === null) return <p>No one is notified of imports and syncs that end or need a person.</p>;
  return (
    <p>
      <b>{foreign(host)}</b> is notified of imports and syncs that end or need a person.{' '}
      {fixed && 'It was set when the server was started, and can only be changed there.'}
    </p>
  );
}

function ReceiverActions({
  view: { host, fixed },
  onChanged,
}: {
  view: NotificationsView;
  onChanged: () => Promise<void>;
}) {
  const said = useSignal('');
  const test = async (signal: AbortSignal) => {
    said.value = 'Sending …';
    const { arrived, reason } = await call('POST /v1/notifications/test', {}, signal).catch((error) => {
      said.value = '';
      throw error;
    });
    said.value = arrived ? `It arrived at ${host}.` : `It did not arrive at ${host}: ${reason}.`;
  };
  const stop = async (signal: AbortSignal) => {
    await call('DELETE /v1/notifications', {}, signal);
    await onChanged();
  };
  const question = {
    question: `Notify ${host} no more?`,
    explanation: 'What is not delivered yet is dropped. To notify it again, its address must be entered again.',
    yes: 'Stop notifying',
    no: 'Keep it',
  };
  return (
    <>
      <Actions
        list={[
          { text: 'Send a test', act: test },
          !fixed && { text: 'Stop notifying…', kind: 'danger quiet', question, act: stop },
        ]}
      />
      <p role="status">{said.value}</p>
    </>
  );
}

function Receiver({ isFirst, onChanged }: { isFirst: boolean; onChanged: () => Promise<void> }) {
  return (
    <EntryForm
      fields={{
        address: {
          label: isFirst ? 'Address' : 'Another address',
          isLong: true,
          placeholder: 'https://hooks.example/rollcall',
          note: 'Or slack+https://…, or smtp://… with from and to. It is not shown again. The secret that signs what goes to https://… is made when you save.',
        },
      }}
      button="Save receiver"
      onSend={async ({ address = '' }, signal) => {
        const { secret } = await call('PUT /v1/notifications', { body: { address } }, signal);
        if (secret !== null) await showOnce('The signing secret', 'The receiver needs it too.', secret);
        await onChanged();
      }}
    />
  );
}
