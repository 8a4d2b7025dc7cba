/** Questions before what cannot be undone. */
import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { h } from './element.js';

/** @import { ComponentChildren, VNode } from 'preact' */

/**
 * @typedef {object} Question
 * @property {ComponentChildren} question
 * @property {ComponentChildren} explanation
 * @property {string} yes
 * @property {string} no
 */

/**
 * Whether the user says yes. Escape and the safe button say no; focus returns to where it was.
 * @param {Question & { tone?: 'main' | 'danger' }} options
 * @returns {Promise<boolean>}
 */
export async function confirmed({ yes, no, tone = 'danger', ...asked }) {
  const answer = await ask({
    ...asked,
    content: () =>
      h(
        'div',
        { class: 'buttons' },
        h('button', { value: 'no', autoFocus: true }, no),
        h('button', { value: 'yes', class: tone }, yes),
      ),
  });
  return answer !== undefined;
}

/**
 * The reason that the user gives for doing it; undefined when it is not to be done.
 * @param {Question & { tone: 'main' | 'danger' }} options
 * @returns {Promise<string | undefined>}
 */
export async function reasonFor({ yes, no, tone, ...asked }) {
  const form = await ask({
    ...asked,
    content: (close) => [
      h(
        'div',
        { class: 'field' },
        h('label', { for: 'reason' }, 'Reason'),
        h('input', {
          id: 'reason',
          name: 'reason',
          type: 'text',
          required: true,
          pattern: '.*\\S.*',
          title: 'Enter a reason; it is recorded',
          maxLength: 1000,
          autocomplete: 'off',
          autoFocus: true,
        }),
        h('p', { class: 'note' }, 'It is recorded with your name.'),
      ),
      h(
        'div',
        { class: 'buttons' },
        // Not a button that sends the form: Enter in the field means yes.
        h('button', { type: 'button', onClick: close }, no),
        h('button', { value: 'yes', class: tone }, yes),
      ),
    ],
  });
  return form === undefined ? undefined : String(form.get('reason') ?? '').trim();
}

/**
 * Opens a dialog. Gives what its form holds when it is closed by the button with the value `yes`, else undefined.
 * @param {{ question: ComponentChildren, explanation: ComponentChildren, content: (close: () => void) => ComponentChildren }} options
 * @returns {Promise<FormData | undefined>}
 */
export function ask(options) {
  return new Promise((resolve) => {
    const host = document.createElement('div');
    document.body.append(host);
    render(
      h(Dialog, {
        ...options,
        onClose: (form) => {
          render(null, host);
          host.remove();
          resolve(form);
        },
      }),
      host,
    );
  });
}

/**
 * @param {object} properties
 * @param {ComponentChildren} properties.question
 * @param {ComponentChildren} properties.explanation
 * @param {(close: () => void) => ComponentChildren} properties.content
 * @param {(form: FormData | undefined) => void} properties.onClose
 * @returns {VNode}
 */
function Dialog({ question, explanation, content, onClose }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => dialog.current?.showModal(), []);
  const closed = () => {
    const form = dialog.current?.querySelector('form');
    const isYes = dialog.current?.returnValue === 'yes' && form !== null && form !== undefined;
    onClose(isYes ? new FormData(form) : undefined);
  };
  return h(
    'dialog',
    { ref: dialog, 'aria-labelledby': 'question', 'aria-describedby': 'explanation', onClose: closed },
    h(
      'form',
      { method: 'dialog' },
      h('h2', { id: 'question' }, question),
      h('p', { id: 'explanation' }, explanation),
      content(() => dialog.current?.close('no')),
    ),
  );
}
