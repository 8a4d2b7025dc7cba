/** Logging in with a token. */
import { useEffect } from 'preact/hooks';
import { EntryForm, useModal } from '../kit/actions.tsx';
import { focusField } from '../kit/form.tsx';
import { usePlace } from '../place.ts';
import { call } from '../requests.ts';

export function Page() {
  const { query, go } = usePlace();
  return (
    <div class="login card col">
      <h1>Log in</h1>
      <p>This server needs a token. Paste the one you were given.</p>
      <LoginForm onLoggedIn={() => go(ownPath(query.get('next')))} />
    </div>
  );
}

/** Over the page, when its token counts no more: what was filled in stays. */
export function LoginDialog({ onLoggedIn, onLeave }: { onLoggedIn: () => void; onLeave: () => void }) {
  const dialog = useModal();
  return (
    <dialog ref={dialog} class="login" aria-labelledby="login-title" onCancel={onLeave}>
      <h2 id="login-title">Log in again</h2>
      <p>Your token has expired or was revoked. Nothing on this page is lost: log in to continue.</p>
      <LoginForm onLoggedIn={onLoggedIn} />
      <button type="button" class="quiet" onClick={onLeave}>
        Leave this page
      </button>
    </dialog>
  );
}

/** Not by the name under which the token is sent: the field has the focus already, so a refusal is an alert, which is read aloud. */
const FIELDS = {
  login: {
    label: 'Token',
    type: 'password',
    note: (
      <>
        It begins with <code>rct_</code>. On the server’s machine, create one with <code>rollcall token create</code>.
      </>
    ),
  },
} as const;

function LoginForm({ onLoggedIn }: { onLoggedIn: () => void }) {
  // There is nothing else to do here.
  useEffect(() => focusField('login'), []);
  return (
    <EntryForm
      fields={FIELDS}
      button="Log in"
      onSend={async ({ login: token = '' }, signal) => {
        focusField('login');
        await call('POST /v1/session', { body: { token } }, signal);
        onLoggedIn();
      }}
    />
  );
}

/** A path of this console; anything else leads to the start. */
function ownPath(next: string | null) {
  return next !== null && /^\/(?![/\\])/.test(next) ? next : '/';
}
