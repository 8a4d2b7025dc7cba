/** Rows by outcome as a bar, a legend, and a sum. */
import { OUTCOMES, sumOfOutcomes } from '../../membership/outcome.ts';
import { grouped } from '../../text/wording.ts';
import type { Outcome, RowCounts } from '../answers.ts';
import { OUTCOME_LABELS, outcomeLabel } from '../import-words.ts';

/** Percent below which a part would vanish: one failed row among a million must be seen. */
const MIN_PERCENT = 1.2;

/** Shares of the bar in percent: of all rows, so that what is still open stays empty. */
function shares(rows: RowCounts): { outcome: Outcome; percent: number }[] {
  const total = Math.max(rows.read, sumOfOutcomes(rows));
  const present = OUTCOMES.filter((outcome) => rows[outcome] > 0);
  const widths = present.map((outcome) => Math.max(MIN_PERCENT, (rows[outcome] / total) * 100));
  const sum = widths.reduce((whole, width) => whole + width, 0);
  const scale = sum > 100 ? 100 / sum : 1;
  return present.map((outcome, index) => ({ outcome, percent: (widths[index] ?? 0) * scale }));
}

/**
 * A bar that says its counts to those who do not see it. Its parts stay the same elements, so that they grow smoothly.
 * `name`: what the bar is about.
 */
export function OutcomeBar({ name, rows }: { name: string; rows: RowCounts }) {
  const present = shares(rows);
  const counts = present.map(({ outcome }) => `${grouped(rows[outcome])} ${OUTCOME_LABELS[outcome]}`);
  return (
    <div class="bar" role="img" aria-label={`${name}: ${counts.join(', ') || 'no outcomes yet'}`}>
      {present.map(({ outcome, percent }) => (
        <span key={outcome} class={`part ${outcome}`} style={{ width: `${percent.toFixed(2)}%` }} />
      ))}
    </div>
  );
}

/** The outcomes that occur, each with its colour and count; rows without one come last. */
export function Legend({ rows, over }: { rows: RowCounts; over: boolean }) {
  const open = Math.max(0, rows.read - sumOfOutcomes(rows));
  const shown = OUTCOMES.filter((outcome) => rows[outcome] > 0);
  return (
    <ul class="legend">
      {shown.map((outcome) => (
        <li key={outcome}>
          {swatch(outcome)}
          <b>{grouped(rows[outcome])}</b> {OUTCOME_LABELS[outcome]}
        </li>
      ))}
      {!over && open > 0 && (
        <li>
          <span class="swatch open" />
          <b>{grouped(open)}</b> pending
        </li>
      )}
    </ul>
  );
}

/** @param colour an outcome, by whose colour it goes */
export function swatch(colour: string) {
  return <span class={`swatch ${colour}`} />;
}

/**
 * An outcome as a coloured mark with its name.
 * `scope` of the row, if it is one.
 */
export function OutcomeMark({ outcome, scope }: { outcome: Outcome | '' | null; scope?: string }) {
  if (outcome === '' || outcome === null) return <span class="mark">pending</span>;
  const label = scope === undefined ? OUTCOME_LABELS[outcome] : outcomeLabel(outcome, scope);
  return (
    <span class="mark">
      {swatch(outcome)}
      {label}
    </span>
  );
}
