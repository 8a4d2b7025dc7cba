/** Rows by outcome as a bar, a legend, and a sum. */
import { h } from './element.js';
import { grouped } from './format.js';
import { OUTCOME_LABELS, OUTCOMES, outcomeLabel, settled } from './words.js';

/** @import { Outcome, RowCounts } from './answers.d.ts' */

/** Percent below which a part would vanish: one failed row among a million must be seen. */
const MIN_PERCENT = 1.2;

/**
 * Shares of the bar in percent: of all rows, so that what is still open stays empty.
 * @param {RowCounts} rows
 * @returns {{ outcome: Outcome, percent: number }[]}
 */
function shares(rows) {
  const total = Math.max(rows.read, settled(rows));
  const present = OUTCOMES.filter((outcome) => rows[outcome] > 0);
  const widths = present.map((outcome) => Math.max(MIN_PERCENT, (rows[outcome] / total) * 100));
  const sum = widths.reduce((whole, width) => whole + width, 0);
  const scale = sum > 100 ? 100 / sum : 1;
  return present.map((outcome, index) => ({ outcome, percent: (widths[index] ?? 0) * scale }));
}

/**
 * A bar that says its counts to those who do not see it. Its parts stay the same elements, so that they grow smoothly.
 * @param {{ name: string, rows: RowCounts }} properties `name`: what the bar is about
 */
export function OutcomeBar({ name, rows }) {
  const present = shares(rows);
  const counts = present.map(({ outcome }) => `${grouped(rows[outcome])} ${OUTCOME_LABELS[outcome]}`);
  return h(
    'div',
    { class: 'bar', role: 'img', 'aria-label': `${name}: ${counts.join(', ') || 'no outcomes yet'}` },
    present.map(({ outcome, percent }) =>
      h('span', { key: outcome, class: `part ${outcome}`, style: { width: `${percent.toFixed(2)}%` } }),
    ),
  );
}

/**
 * The outcomes that occur, each with its colour and count; rows without one come last.
 * @param {{ rows: RowCounts, over: boolean }} properties
 */
export function Legend({ rows, over }) {
  const open = Math.max(0, rows.read - settled(rows));
  const shown = OUTCOMES.filter((outcome) => rows[outcome] > 0);
  return h(
    'ul',
    { class: 'legend' },
    shown.map((outcome) =>
      h('li', { key: outcome }, swatch(outcome), h('b', null, grouped(rows[outcome])), ` ${OUTCOME_LABELS[outcome]}`),
    ),
    !over &&
      open > 0 &&
      h('li', { key: 'open' }, h('span', { class: 'swatch open' }), h('b', null, grouped(open)), ' pending'),
  );
}

/** @param {string} colour an outcome, by whose colour it goes */
export function swatch(colour) {
  return h('span', { class: `swatch ${colour}` });
}

/**
 * An outcome as a coloured mark with its name.
 * @param {{ outcome: Outcome | '' | null, scope?: string }} properties `scope` of the row, if it is one
 */
export function OutcomeMark({ outcome, scope }) {
  if (outcome === '' || outcome === null) return h('span', { class: 'mark' }, 'pending');
  const label = scope === undefined ? OUTCOME_LABELS[outcome] : outcomeLabel(outcome, scope);
  return h('span', { class: 'mark' }, swatch(outcome), label);
}
