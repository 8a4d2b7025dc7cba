/** What can be done with an import now: the buttons follow what the server says is possible. */
import { importPath, request } from '../../api.js';
import { confirmed } from '../../dialog.js';
import { arrange, foreign, h } from '../../element.js';
import { counted } from '../../format.js';
import { errorPlace } from '../../notice.js';
import { actionLabel, fileName, settled } from '../../words.js';

/** @import { Action, ImportView } from '../../answers.d.ts' */

/** Those that cannot be undone are asked for twice. @type {Readonly<Partial<Record<Action, (view: ImportView) => Parameters<typeof confirmed>[0]>>>} */
const QUESTIONS = {
  cancel: (view) => ({
    question: 'Cancel this import?',
    explanation: [
      `${counted(Math.max(0, view.rows.read - settled(view.rows)), 'row')} of `,
      foreign(fileName(view.file)),
      ' will not be sent. What was already sent stays. A cancelled import cannot be resumed; its rows can be retried.',
    ],
    yes: 'Cancel import',
    no: 'Keep running',
  }),
  delete: (view) => ({
    question: 'Delete this import?',
    explanation: [
      'The file ',
      foreign(fileName(view.file)),
      ' and all records of its rows will be deleted. Memberships do not change.',
    ],
    yes: 'Delete import',
    no: 'Keep it',
  }),
};

/**
 * @param {object} options
 * @param {AbortSignal} options.signal
 * @param {(path: string) => void} options.go
 * @param {() => void} options.onDone the import has changed
 */
export function importActions({ signal, go, onDone }) {
  const problem = errorPlace();
  const buttons = h('div', { class: 'buttons' });
  const element = h('div', { class: 'actions' }, buttons, problem.element);
  /** @type {Map<Action, HTMLButtonElement>} */
  const known = new Map();
  /** @type {ImportView | undefined} */
  let shown;

  /** @param {Action} action @param {HTMLButtonElement} button */
  const act = async (action, button) => {
    const view = shown;
    if (view === undefined || button.getAttribute('aria-disabled') === 'true') return;
    problem.clear();
    const question = QUESTIONS[action]?.(view);
    if (question !== undefined && !(await confirmed(question))) return;
    // Not `disabled`: that would take the focus away.
    button.setAttribute('aria-disabled', 'true');
    try {
      if (action === 'delete') {
        await request(importPath(view.id), { method: 'DELETE', signal });
        return go('/');
      }
      /** @type {ImportView} */
      const after = await request(importPath(view.id, `/${action}`), { method: 'POST', signal });
      if (after.id === view.id) onDone();
      else go(`/imports/${encodeURIComponent(after.id)}`);
    } catch (error) {
      if (!signal.aborted) problem.show(error);
    } finally {
      button.removeAttribute('aria-disabled');
    }
  };
  /** @param {Action} action */
  const buttonFor = (action) => {
    const existing = known.get(action);
    if (existing !== undefined) return existing;
    const kind =
      action === 'resume' || action === 'retry'
        ? 'main'
        : action === 'cancel' || action === 'delete'
          ? 'danger quiet'
          : '';
    /** @type {HTMLButtonElement} */
    const button = h('button', { type: 'button', class: kind, onclick: () => void act(action, button) });
    known.set(action, button);
    return button;
  };
  /** @param {ImportView} view */
  const show = (view) => {
    shown = view;
    const hadFocus = buttons.contains(document.activeElement);
    for (const action of view.actions) {
      const button = buttonFor(action);
      const label = actionLabel(view, action);
      if (button.textContent !== label) button.textContent = label;
    }
    arrange(buttons, view.actions.map(buttonFor));
    // The button that was pressed may be gone now: the next one takes the keyboard.
    if (hadFocus && !buttons.contains(document.activeElement)) buttons.querySelector('button')?.focus();
  };
  return { element, show };
}
