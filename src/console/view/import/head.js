/** Where an import stands: its state in a sentence, what can be done about it, its rows by outcome. */
import { fill, foreign, h } from '../../element.js';
import { counted, duration, estimate, grouped, size, time } from '../../format.js';
import { legend, outcomeBar } from '../../outcome-bar.js';
import { STATE_TONES, stateSentence } from '../../words.js';

/** @import { ImportView, Progress } from '../../answers.d.ts' */

/** States whose reason says more than the state. @type {readonly ImportView['state'][]} */
const REASONED = ['blocked', 'aborted', 'rejected', 'failed'];

export function importHead() {
  const badge = h('span', {});
  const sentence = h('p', { class: 'sentence', id: 'state' });
  const reason = h('p', { class: 'note' });
  const bar = outcomeBar('All rows by outcome');
  const counts = h('div', {});
  const pace = h('p', { class: 'pace' });
  const facts = h('dl', { class: 'facts' });
  const reading = h('div', { class: 'reading' });
  const element = h(
    'div',
    {},
    h('div', { class: 'standing' }, badge, sentence),
    reason,
    reading,
    bar.element,
    counts,
    pace,
    facts,
  );
  return {
    element,
    /**
     * @param {ImportView} view
     * @param {Progress | undefined} progress
     */
    show: (view, progress) => {
      badge.className = `badge ${STATE_TONES[view.state]}`;
      fill(badge, view.state);
      fill(sentence, stateSentence(view));
      const hasReason = view.state === 'staged' ? !view.dryRun : REASONED.includes(view.state);
      fill(reason, hasReason && foreign(view.reason));
      fill(reading, view.staging !== null && readingProgress(view.staging));
      bar.show(view.rows);
      bar.element.hidden = view.rows.read === 0;
      fill(counts, view.rows.read > 0 && legend(view.rows, { over: view.finishedAt !== null }));
      const eta = progress?.etaSeconds ?? null;
      fill(pace, view.state === 'running' && eta !== null && eta > 0 && estimate(eta));
      fill(facts, factsOf(view));
    },
  };
}

/** @param {NonNullable<ImportView['staging']>} staging */
function readingProgress({ rows, bytes, totalBytes, cutting }) {
  const done = totalBytes === null ? null : Math.min(1, bytes / Math.max(1, totalBytes));
  const read = `${counted(rows, 'row')} read, ${size(bytes)}${totalBytes === null ? '' : ` of ${size(totalBytes)}`}`;
  return [
    h('progress', { max: 1, value: cutting ? null : done, 'aria-label': 'Reading the file' }),
    h('p', { class: 'note' }, cutting ? `${counted(rows, 'row')} read, sorting` : read),
  ];
}

/** @param {ImportView} view */
function factsOf(view) {
  const { startedAt, finishedAt } = view;
  const limited = Object.values(view.regions).reduce((sum, region) => sum + region.rateLimited, 0);
  /** @type {[string, Node | string | false][]} */
  const list = [
    ['Uploaded', time(view.createdAt)],
    ['Started', startedAt !== null && time(startedAt)],
    ['Finished', finishedAt !== null && time(finishedAt)],
    ['Took', startedAt !== null && finishedAt !== null && duration(Date.parse(finishedAt) - Date.parse(startedAt))],
    ['Rows', view.rows.read > 0 && grouped(view.rows.read)],
    ['Calls', view.calls > 0 && grouped(view.calls)],
    ['Retries', view.retries > 0 && grouped(view.retries)],
    ['Rate-limited', limited > 0 && counted(limited, 'time')],
  ];
  return list.flatMap(([name, value]) =>
    value === false ? [] : [h('div', {}, h('dt', {}, name), h('dd', {}, value))],
  );
}
