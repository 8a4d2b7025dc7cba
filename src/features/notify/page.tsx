/** The page of the receiver of notifications, which admins set and try. */
import { useSignal } from '@preact/signals';
import { showOnce } from '../../console/copy.tsx';
import { confirmed } from '../../console/dialog.tsx';
import { ErrorPlace, foreign, Pending } from '../../console/elements.tsx';
import { TextField, useForm } from '../../console/form.tsx';
import { saidOf } from '../../console/remedies.ts';
import { ApiError, requestsOf } from '../../console/requests.ts';
import { useAnswer } from '../../console/use-answer.ts';
import { useKeptFocus, useWork, WorkButton } from '../../console/work.tsx';
import type { NotificationsView } from './api.ts';
import type { notificationOperations } from './operations.ts';

const { addressOf, call } = requestsOf<typeof notificationOperations>();

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
      <Standing view={view} />
      {view.host !== null && <Actions view={view} onChanged={changed} />}
      {!view.fixed && <Receiver isFirst={view.host === null} onChanged={changed} />}
    </div>
  );
}

function Standing({ view: { host, fixed, problem } }: { view: NotificationsView }) {
  if (problem !== null) return <p class="notice attention">No one is notified. {foreign(problem)}</p>;
  if (host === null) return <p>No one is notified of imports and syncs that end or need a person.</p>;
  return (
    <p>
      <b>{foreign(host)}</b> is notified of imports and syncs that end or need a person.{' '}
      {fixed && 'It was set when the server was started, and can only be changed there.'}
    </p>
  );
}

function Actions({ view: { host, fixed }, onChanged }: { view: NotificationsView; onChanged: () => Promise<void> }) {
  const work = useWork();
  const said = useSignal('');
  const test = () =>
    work.start(async (signal) => {
      said.value = 'Sending …';
      try {
        const tried = await call('POST /v1/notifications/test', {}, signal);
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
      await call('DELETE /v1/notifications', {}, signal);
      await onChanged();
    });
  };
  return (
    <>
      <div class="buttons">
        <WorkButton busy={work.busy} onClick={() => void test()}>
          Send a test
        </WorkButton>
        {!fixed && (
          <WorkButton busy={work.busy} kind="danger quiet" onClick={() => void stop()}>
            Stop notifying…
          </WorkButton>
        )}
      </div>
      <p role="status">{said.value}</p>
      <ErrorPlace error={work.error} />
    </>
  );
}

function Receiver({ isFirst, onChanged }: { isFirst: boolean; onChanged: () => Promise<void> }) {
  const form = useForm({ address: '', secret: '' });
  const work = useWork();
  const save = () =>
    work.start(async (signal) => {
      const { address = '', secret } = form.read();
      const body = { address, ...(secret !== '' && { secret }) };
      try {
        const set = await call('PUT /v1/notifications', { body }, signal);
        form.assign({ address: '', secret: '' });
        if (set.secret !== null) await showOnce('The signing secret', 'The receiver needs it too.', set.secret);
        await onChanged();
      } catch (error) {
        const field = error instanceof ApiError ? error.problem.field : undefined;
        if (field === undefined || !form.showError(field, saidOf((error as ApiError).problem))) throw error;
      }
    });
  return (
    <form
      noValidate
      onSubmit={(event: SubmitEvent) => {
        event.preventDefault();
        void save();
      }}
    >
      <div class="fields">
        <TextField
          form={form}
          name="address"
          label={isFirst ? 'Address' : 'Another address'}
          isLong
          placeholder="https://hooks.example/rollcall"
          note="Or slack+https:// and teams+https://, or smtp:// with from and to. It is not shown again."
        />
        <TextField
          form={form}
          name="secret"
          label="Signing secret"
          placeholder="whsec_…"
          note="For https:// only. Leave it empty to have one made."
        />
      </div>
      <ErrorPlace error={work.error} />
      <div class="buttons">
        <button type="submit" class="main" aria-disabled={work.busy}>
          Save receiver
        </button>
      </div>
    </form>
  );
}
