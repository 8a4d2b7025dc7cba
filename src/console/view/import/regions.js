/** Progress by region, and what each waits for. */
import { arrange, fill, h } from '../../element.js';
import { counted, grouped, rate } from '../../format.js';
import { legend, outcomeBar } from '../../outcome-bar.js';
import { regionSentence, settled } from '../../words.js';

/** @import { ImportState, ImportView, Progress } from '../../answers.d.ts' */

/** @type {readonly ImportState[]} */
const IDLE = ['staging', 'staged', 'paused', 'cancelled', 'aborted', 'completed', 'rejected', 'failed'];

export function importRegions() {
  const element = h('ul', { class: 'regions' });
  /** @type {Map<string, ReturnType<typeof regionItem>>} */
  const known = new Map();
  return {
    element,
    /**
     * @param {ImportView} view
     * @param {Progress | undefined} progress
     */
    show: (view, progress) => {
      const items = Object.keys(view.regions).map((region) => {
        const item = known.get(region) ?? regionItem(region);
        known.set(region, item);
        item.show(view, progress);
        return item.element;
      });
      arrange(element, items);
    },
  };
}

/** @param {string} region */
function regionItem(region) {
  const bar = outcomeBar(`Region ${region}`);
  const done = h('span', { class: 'number' });
  const doing = h('p', { class: 'note' });
  const counts = h('div', { class: 'small' });
  const element = h('li', {}, h('div', { class: 'line' }, h('h3', {}, region), done), bar.element, doing, counts);
  /**
   * @param {ImportView} view
   * @param {Progress | undefined} progress
   */
  const show = (view, progress) => {
    const own = view.regions[region];
    if (own === undefined) return;
    const over = view.finishedAt !== null;
    bar.show(own.rows);
    fill(done, `${grouped(settled(own.rows))} of ${counted(own.rows.read, 'row')}`);
    // The queue is shared: what waits there is of this import only while it is at work.
    const now = IDLE.includes(view.state) ? undefined : progress?.regions[region];
    const notes = [
      now !== undefined && settled(own.rows) < own.rows.read ? regionSentence(now) : '',
      now !== undefined && now.callsPerSecond > 0
        ? `${rate(now.callsPerSecond)} calls and ${rate(now.rowsPerSecond)} rows a second`
        : '',
      own.calls > 0 ? counted(own.calls, 'call') : '',
      own.retries > 0 ? `${grouped(own.retries)} retried` : '',
      own.rateLimited > 0 ? `${grouped(own.rateLimited)} rate-limited` : '',
    ];
    doing.classList.toggle('attention', now?.stopped === true);
    fill(doing, notes.filter((note) => note !== '').join(' · '));
    fill(counts, legend(own.rows, { over }));
  };
  return { element, show };
}
