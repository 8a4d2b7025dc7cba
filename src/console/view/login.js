/** Logging in with a token. */
import { useEffect, useRef } from 'preact/hooks';
import { request } from '../api.js';
import { h } from '../element.js';
import { ErrorPlace } from '../notice.js';
import { usePlace } from '../place.js';
import { useWork } from '../work.js';

export function LoginPage() {
  const { query, go } = usePlace();
  return h(
    'div',
    { class: 'login card' },
    h('h1', null, 'Log in'),
    h('p', null, 'This server needs a token. Paste the one you were given.'),
    h(LoginForm, { onLoggedIn: () => go(ownPath(query.get('next'))) }),
  );
}

/**
 * Over the page, when its token counts no more: what was filled in stays.
 * @param {{ onLoggedIn: () => void, onLeave: () => void }} properties
 */
export function LoginDialog({ onLoggedIn, onLeave }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => dialog.current?.showModal(), []);
  return h(
    'dialog',
    { ref: dialog, class: 'login', 'aria-labelledby': 'login-title', onCancel: onLeave },
    h('h2', { id: 'login-title' }, 'Log in again'),
    h('p', null, 'Your token has expired or was revoked. Nothing on this page is lost: log in to continue.'),
    h(LoginForm, { onLoggedIn }),
    h('button', { type: 'button', class: 'quiet', onClick: onLeave }, 'Leave this page'),
  );
}

/** @param {{ onLoggedIn: () => void }} properties */
function LoginForm({ onLoggedIn }) {
  const work = useWork();
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  // There is nothing else to do here.
  useEffect(() => field.current?.focus(), []);
  /** @param {SubmitEvent} event */
  const logIn = (event) => {
    event.preventDefault();
    void work.start(async (signal) => {
      const token = field.current?.value.trim() ?? '';
      field.current?.select();
      await request('/v1/session', {
        method: 'POST',
        body: JSON.stringify({ token }),
        type: 'application/json',
        signal,
      });
      onLoggedIn();
    });
  };
  return h(
    'form',
    { onSubmit: logIn },
    h('label', { for: 'token' }, 'Token'),
    h('input', {
      id: 'token',
      name: 'token',
      type: 'password',
      ref: field,
      autocomplete: 'current-password',
      spellcheck: false,
      required: true,
      'aria-describedby': 'token-note',
    }),
    h(
      'p',
      { class: 'note', id: 'token-note' },
      'It begins with ',
      h('code', null, 'rct_'),
      '. On the server’s machine, create one with ',
      h('code', null, 'rollcall token create'),
      '.',
    ),
    h(ErrorPlace, { error: work.error }),
    h('button', { class: 'main', disabled: work.busy }, 'Log in'),
  );
}

/**
 * A path of this console; anything else leads to the start.
 * @param {string | null} next
 */
function ownPath(next) {
  return next !== null && /^\/(?![/\\])/.test(next) ? next : '/';
}
