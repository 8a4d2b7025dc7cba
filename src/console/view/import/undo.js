/** The way to take back what an import did. */
import { importPath, request } from '../../api.js';
import { h } from '../../element.js';
import { errorPlace } from '../../notice.js';

/** @import { ImportView } from '../../answers.d.ts' */

/**
 * @param {object} options
 * @param {AbortSignal} options.signal
 * @param {(path: string) => void} options.go
 */
export function importUndo({ signal, go }) {
  const problem = errorPlace();
  /** @type {ImportView | undefined} */
  let shown;
  const undo = async () => {
    if (shown === undefined || button.getAttribute('aria-disabled') === 'true') return;
    problem.clear();
    button.setAttribute('aria-disabled', 'true');
    try {
      /** @type {{ id: string }} */
      const { id } = await request(importPath(shown.id, '/undo'), { method: 'POST', signal });
      go(`/syncs/${encodeURIComponent(id)}`);
    } catch (error) {
      if (!signal.aborted) problem.show(error);
    } finally {
      button.removeAttribute('aria-disabled');
    }
  };
  const button = h('button', { type: 'button', onclick: () => void undo() }, 'Undo import…');
  const element = h(
    'div',
    {},
    h('p', { class: 'note' }, 'Makes a plan that reverses this import. Nothing is sent until you apply it.'),
    h('div', { class: 'buttons' }, button),
    problem.element,
  );
  return {
    element,
    /** Whether there is anything to take back. @param {ImportView} view */
    show: (view) => {
      shown = view;
      const { added, banned, changed, removed } = view.rows;
      return view.finishedAt !== null && added + banned + changed + removed > 0;
    },
  };
}
