/** Rows by outcome as a bar, a legend, and a sum. */
import { h } from './element.js';
import { grouped } from './format.js';
import { OUTCOME_LABELS, OUTCOMES, settled } from './words.js';

/** @import { Outcome, RowCounts } from './answers.d.ts' */

/** Percent below which a part would vanish: one failed row among a million must be seen. */
const LEAST_PERCENT = 1.2;

/**
 * Shares of the bar in percent: of all rows, so that what is still open stays empty.
 * @param {RowCounts} rows
 * @returns {{ outcome: Outcome, percent: number }[]}
 */
function shares(rows) {
  const total = Math.max(rows.read, settled(rows));
  const present = OUTCOMES.filter((outcome) => rows[outcome] > 0);
  const widths = present.map((outcome) => Math.max(LEAST_PERCENT, (rows[outcome] / total) * 100));
  const sum = widths.reduce((whole, width) => whole + width, 0);
  const scale = sum > 100 ? 100 / sum : 1;
  return present.map((outcome, index) => ({ outcome, percent: (widths[index] ?? 0) * scale }));
}

/**
 * A bar that says its counts to those who do not see it. `show` moves its parts, so that they grow smoothly.
 * @param {string} name what the bar is about
 */
export function outcomeBar(name) {
  const element = h('div', { class: 'bar', role: 'img' });
  /** @type {Map<Outcome, HTMLElement>} */
  const parts = new Map();
  /** @param {RowCounts} rows */
  const show = (rows) => {
    const present = shares(rows);
    for (const outcome of OUTCOMES) {
      const percent = present.find((share) => share.outcome === outcome)?.percent ?? 0;
      let part = parts.get(outcome);
      if (part === undefined) {
        if (percent === 0) continue;
        part = h('span', { class: `part ${outcome}` });
        parts.set(outcome, part);
        element.append(...OUTCOMES.flatMap((one) => parts.get(one) ?? []));
      }
      part.style.width = `${percent.toFixed(2)}%`;
    }
    const counts = present.map(({ outcome }) => `${grouped(rows[outcome])} ${OUTCOME_LABELS[outcome]}`);
    element.setAttribute('aria-label', `${name}: ${counts.join(', ') || 'no outcomes yet'}`);
  };
  return { element, show };
}

/**
 * The outcomes that occur, each with its colour and count; rows without one come last.
 * @param {RowCounts} rows
 * @param {{ over: boolean }} options
 */
export function legend(rows, { over }) {
  const open = Math.max(0, rows.read - settled(rows));
  const shown = OUTCOMES.filter((outcome) => outcome === 'added' || rows[outcome] > 0);
  return h(
    'ul',
    { class: 'legend' },
    shown.map((outcome) =>
      h('li', {}, swatch(outcome), h('b', {}, grouped(rows[outcome])), ` ${OUTCOME_LABELS[outcome]}`),
    ),
    !over && open > 0 && h('li', {}, h('span', { class: 'swatch open' }), h('b', {}, grouped(open)), ' pending'),
  );
}

/** @param {Outcome} outcome */
function swatch(outcome) {
  return h('span', { class: `swatch ${outcome}` });
}

/**
 * An outcome as a coloured mark with its name.
 * @param {Outcome | '' | null} outcome
 */
export function outcomeMark(outcome) {
  if (outcome === '' || outcome === null) return h('span', { class: 'mark' }, 'pending');
  return h('span', { class: 'mark' }, swatch(outcome), OUTCOME_LABELS[outcome]);
}
