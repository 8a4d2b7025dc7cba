/** What can be decided about a sync now: the buttons follow what the server says is possible. */
import { request, syncPath } from '../../api.js';
import { confirmed, reasonFor } from '../../dialog.js';
import { arrange, h } from '../../element.js';
import { counted } from '../../format.js';
import { errorPlace } from '../../notice.js';
import { CHANGES, countsSentence, SYNC_ACTION_LABELS } from '../../sync-words.js';

/** @import { SyncAction, SyncView } from '../../sync-answers.d.ts' */

/**
 * @param {object} options
 * @param {AbortSignal} options.signal
 * @param {(view: SyncView) => void} options.onDone the sync as it is then
 */
export function syncActions({ signal, onDone }) {
  const problem = errorPlace();
  const buttons = h('div', { class: 'buttons' });
  const element = h('div', { class: 'actions' }, buttons, problem.element);
  /** @type {Map<SyncAction, HTMLButtonElement>} */
  const known = new Map();
  /** @type {SyncView | undefined} */
  let shown;

  /** @param {SyncAction} action @param {HTMLButtonElement} button */
  const act = async (action, button) => {
    const view = shown;
    if (view === undefined || button.getAttribute('aria-disabled') === 'true') return;
    problem.clear();
    const body = await decision(view, action);
    if (body === undefined) return;
    button.setAttribute('aria-disabled', 'true');
    try {
      onDone(await request(syncPath(view.id, `/${action}`), { method: 'POST', signal, ...body }));
    } catch (error) {
      if (!signal.aborted) problem.show(error);
    } finally {
      button.removeAttribute('aria-disabled');
    }
  };
  /** @param {SyncAction} action */
  const buttonFor = (action) => {
    const existing = known.get(action);
    if (existing !== undefined) return existing;
    const kind = action === 'apply' ? 'main' : action === 'reject' ? 'quiet' : 'danger';
    /** @type {HTMLButtonElement} */
    const button = h('button', { type: 'button', class: kind, onclick: () => void act(action, button) });
    known.set(action, button);
    return button;
  };
  return {
    element,
    /** @param {SyncView} view */
    show: (view) => {
      shown = view;
      const hadFocus = buttons.contains(document.activeElement);
      for (const action of view.actions) buttonFor(action).textContent = labelFor(view, action);
      arrange(buttons, view.actions.map(buttonFor));
      element.hidden = view.actions.length === 0 && problem.element.childElementCount === 0;
      if (!hadFocus || buttons.contains(document.activeElement)) return;
      // The button that was pressed may be gone now: the next one takes the keyboard, or else the heading.
      (buttons.querySelector('button') ?? document.querySelector('h1'))?.focus();
    },
  };
}

/** @param {SyncView} view @param {SyncAction} action */
function labelFor({ totals }, action) {
  return action === 'apply' && totals !== null
    ? `Apply ${counted(totals.changes, 'change')}`
    : SYNC_ACTION_LABELS[action];
}

/**
 * The body of the request; undefined when it is not to be sent.
 * @param {SyncView} view
 * @param {SyncAction} action
 * @returns {Promise<{ body?: string, type?: string } | undefined>}
 */
async function decision({ totals }, action) {
  const what = totals === null ? '' : countsSentence(totals.actions, CHANGES);
  if (action === 'apply') {
    if (totals === null || totals.actions.remove + totals.actions.ban === 0) return {};
    const yes = await confirmed({
      question: 'Apply this plan?',
      explanation: [`${what}. The plan is first compared with the file and the groups as they are now.`],
      yes: 'Apply plan',
      no: 'Cancel',
    });
    return yes ? {} : undefined;
  }
  const reason = await reasonFor(
    action === 'approve'
      ? {
          question: 'Approve this plan even though a guard objects?',
          explanation: [
            `${what || 'No changes'}. The plan is approved this once, and carried out unless the file or the groups have changed too much.`,
          ],
          yes: 'Approve and apply',
          no: 'Cancel',
          tone: 'danger',
        }
      : {
          question: 'Reject this plan?',
          explanation: ['A rejected plan can no longer be carried out. You can make a new plan at any time.'],
          yes: 'Reject plan',
          no: 'Keep it',
          tone: 'main',
        },
  );
  return reason === undefined ? undefined : { body: JSON.stringify({ reason }), type: 'application/json' };
}
