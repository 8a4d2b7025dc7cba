/** Secrets that the server gives once. */
import { CopyButton } from '../../copy.js';
import { ask } from '../../dialog.js';
import { h } from '../../element.js';

/**
 * Shows a secret until it is said to be copied.
 * @param {string} question names it
 * @param {string} explanation
 * @param {string} secret
 */
export function showOnce(question, explanation, secret) {
  return ask({
    question,
    explanation: `Copy it now: it is not shown again. ${explanation}`,
    content: () => [
      h('p', { class: 'secret' }, h('code', null, secret), ' ', h(CopyButton, { text: secret, what: 'the secret' })),
      h('div', { class: 'buttons' }, h('button', { value: 'yes', class: 'main', autoFocus: true }, 'I have copied it')),
    ],
  });
}
