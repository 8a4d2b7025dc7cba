/** Questions before what cannot be undone. */
import { h } from './element.js';

/** @import { Child } from './element.js' */

/**
 * Whether the user says yes. Escape and the safe button say no; focus returns to where it was.
 * @param {{ question: string, explanation: readonly Child[], yes: string, no: string }} options
 * @returns {Promise<boolean>}
 */
export function confirmed({ question, explanation, yes, no }) {
  return new Promise((resolve) => {
    const dialog = h(
      'dialog',
      { 'aria-labelledby': 'question' },
      h(
        'form',
        { method: 'dialog' },
        h('h2', { id: 'question' }, question),
        h('p', {}, explanation),
        h(
          'div',
          { class: 'buttons' },
          h('button', { value: 'no', autofocus: true }, no),
          h('button', { value: 'yes', class: 'danger' }, yes),
        ),
      ),
    );
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
