/** Logging in with a token. */
import { request } from '../api.js';
import { h } from '../element.js';
import { errorPlace } from '../notice.js';

/** @import { Place } from '../place.d.ts' */

/** @param {Place} place */
export function loginPage({ query, go, signal }) {
  const token = h('input', {
    id: 'token',
    name: 'token',
    type: 'password',
    autocomplete: 'current-password',
    spellcheck: 'false',
    required: true,
    'aria-describedby': 'token-note',
  });
  const problem = errorPlace();
  const button = h('button', { class: 'main' }, 'Log in');
  /** @param {Event} event */
  const logIn = async (event) => {
    event.preventDefault();
    problem.clear();
    button.disabled = true;
    try {
      const body = JSON.stringify({ token: token.value.trim() });
      await request('/v1/session', { method: 'POST', body, type: 'application/json', signal });
      go(ownPath(query.get('next')));
    } catch (error) {
      if (signal.aborted) return;
      problem.show(error);
      token.select();
    } finally {
      button.disabled = false;
    }
  };
  return [
    h(
      'div',
      { class: 'login card' },
      h('h1', {}, 'Log in'),
      h('p', {}, 'This server needs a token. Paste the one you were given.'),
      h(
        'form',
        { onsubmit: logIn },
        h('label', { for: 'token' }, 'Token'),
        token,
        h(
          'p',
          { class: 'note', id: 'token-note' },
          'It begins with ',
          h('code', {}, 'rct_'),
          '. On the server’s machine, create one with ',
          h('code', {}, 'rollcall token create'),
          '.',
        ),
        problem.element,
        button,
      ),
    ),
  ];
}

/**
 * A path of this console; anything else leads to the start.
 * @param {string | null} next
 */
function ownPath(next) {
  return next !== null && /^\/(?![/\\])/.test(next) ? next : '/';
}
