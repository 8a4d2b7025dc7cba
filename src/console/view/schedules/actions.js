/** What can be done with a schedule. */
import { request } from '../../api.js';
import { confirmed } from '../../dialog.js';
import { fill, foreign, h } from '../../element.js';
import { errorPlace } from '../../notice.js';

/** @import { Schedule } from '../../sync-answers.d.ts' */

/**
 * @param {object} options
 * @param {string} options.name
 * @param {AbortSignal} options.signal
 * @param {(path: string) => void} options.go
 * @param {() => void} options.onDone the schedule has changed
 */
export function scheduleActions({ name, signal, go, onDone }) {
  const problem = errorPlace();
  const path = `/v1/schedules/${encodeURIComponent(name)}`;
  let paused = false;

  /**
   * @param {HTMLButtonElement} button
   * @param {() => Promise<void>} send
   */
  const act = async (button, send) => {
    if (button.getAttribute('aria-disabled') === 'true') return;
    problem.clear();
    button.setAttribute('aria-disabled', 'true');
    try {
      await send();
    } catch (error) {
      if (!signal.aborted) problem.show(error);
    } finally {
      button.removeAttribute('aria-disabled');
    }
  };
  /**
   * @param {string} label
   * @param {string} kind
   * @param {() => Promise<void>} send
   */
  const buttonFor = (label, kind, send) => {
    /** @type {HTMLButtonElement} */
    const button = h('button', { type: 'button', class: kind, onclick: () => void act(button, send) }, label);
    // "Run now" says nothing by itself.
    button.setAttribute('aria-label', `${label.replace('…', '')}: ${name}`);
    return button;
  };
  const run = buttonFor('Run now', '', async () => {
    await request(`${path}/run`, { method: 'POST', signal });
    onDone();
  });
  const pause = buttonFor('Pause', '', async () => {
    await request(`${path}/${paused ? 'resume' : 'pause'}`, { method: 'POST', signal });
    onDone();
  });
  const remove = buttonFor('Remove…', 'danger quiet', async () => {
    const explanation = [
      'The schedule ',
      foreign(name),
      ' and its history will be deleted. Its syncs stay. Memberships do not change.',
    ];
    if (!(await confirmed({ question: 'Remove this schedule?', explanation, yes: 'Remove schedule', no: 'Keep it' })))
      return;
    await request(path, { method: 'DELETE', signal });
    go('/schedules');
  });
  return {
    element: h(
      'div',
      { class: 'schedule-actions' },
      h('div', { class: 'buttons' }, run, pause, remove),
      problem.element,
    ),
    /** @param {Schedule} schedule */
    show: (schedule) => {
      paused = schedule.paused;
      const label = paused ? 'Resume' : 'Pause';
      fill(pause, label);
      pause.setAttribute('aria-label', `${label}: ${name}`);
    },
  };
}
