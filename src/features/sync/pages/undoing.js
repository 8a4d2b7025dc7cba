/** The question before an undo is planned. */
import { importPath, query, request } from '../../../console/api.js';
import { ask } from '../../../console/dialog.js';
import { h } from '../../../console/element.js';

/**
 * What the undo is to take back, as the server takes it; undefined when none is to be planned.
 * @param {boolean} uncertain whether what is uncertain is chosen beforehand
 * @returns {Promise<Readonly<Record<string, string>> | undefined>}
 */
export async function undoChoice(uncertain) {
  const form = await ask({
    question: 'Undo this import?',
    explanation: 'A plan is made first: nothing is sent before you apply it.',
    content: (close) => [
      h(
        'div',
        { class: 'check' },
        h('input', { type: 'checkbox', id: 'include-uncertain', name: 'includeUncertain', defaultChecked: uncertain }),
        h('label', { for: 'include-uncertain' }, 'Also take back what calls without an answer may have done'),
      ),
      h(
        'p',
        { class: 'note' },
        'It removes members who were there when a call was repeated, and those whose row is not confirmed. Some of them may have been there before the import.',
      ),
      h(
        'div',
        { class: 'buttons' },
        h('button', { type: 'button', onClick: close, autoFocus: true }, 'Cancel'),
        h('button', { value: 'yes', class: 'main' }, 'Plan the undo'),
      ),
    ],
  });
  return form && (form.has('includeUncertain') ? { includeUncertain: 'true' } : {});
}

/**
 * Has an undo planned; gives the id of its sync.
 * @param {string} importId
 * @param {Readonly<Record<string, string>>} chosen
 * @param {AbortSignal} signal
 */
export async function undone(importId, chosen, signal) {
  /** @type {{ id: string }} */
  const { id } = await request(importPath(importId, `/undo${query(chosen)}`), { method: 'POST', signal });
  return id;
}
