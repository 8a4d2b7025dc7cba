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

/**
 * The reason that the user gives for doing it; undefined when it is not to be done.
 * @param {{ question: string, explanation: readonly Child[], yes: string, no: string, tone: 'main' | 'danger' }} options
 * @returns {Promise<string | undefined>}
 */
export function reasonFor({ question, explanation, yes, no, tone }) {
  return new Promise((resolve) => {
    const reason = h('input', {
      id: 'reason',
      type: 'text',
      required: true,
      pattern: '.*\\S.*',
      title: 'Enter a reason; it is recorded',
      maxlength: 1000,
      autocomplete: 'off',
      autofocus: true,
    });
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
          { class: 'field' },
          h('label', { for: 'reason' }, 'Reason'),
          reason,
          h('p', { class: 'note' }, 'It is recorded with your name.'),
        ),
        h(
          'div',
          { class: 'buttons' },
          // Not a button that sends the form: Enter in the field means yes.
          h('button', { type: 'button', onclick: () => dialog.close('no') }, no),
          h('button', { value: 'yes', class: tone }, yes),
        ),
      ),
    );
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes' ? reason.value.trim() : undefined);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
