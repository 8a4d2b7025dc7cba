import { OUTCOMES, type Outcome, type RowCounts } from '../../membership/outcome.ts';
import { html, type Markup } from '../../text/markup.ts';
import { grouped, OUTCOME_LABELS, outcomesShown } from '../../text/wording.ts';

/** Share of the width below which a segment would vanish: one failed row among a million must be seen. */
const MIN_PERCENT = 2;

/**
 * Textures, so that outcomes can be distinguished without colour. They are defined once and used by every bar through the
 * stylesheet (`.o-failed { fill: url(#p-failed) }`).
 */
export function textures(): Markup {
  return html`<svg class="defs" width="0" height="0" aria-hidden="true" focusable="false"><defs>
${texture('banned', html`<path d="M0 3H6" class="ink" stroke-width="1.5"/>`)}
${texture('already_member', html`<circle cx="3" cy="3" r="1.2" class="ink-fill"/>`)}
${texture('failed', html`<path d="M-1 1L1 -1M0 6L6 0M5 7L7 5" class="ink" stroke-width="1.6"/>`)}
${texture('invalid', html`<path d="M-1 5L1 7M0 0L6 6M5 -1L7 1" class="ink" stroke-width="1.6"/>`)}
${texture('unconfirmed', html`<path d="M0 0L6 6M0 6L6 0" class="ink" stroke-width="1.1"/>`)}
${texture('unprocessed', html`<path d="M3 0V6" class="ink" stroke-width="2"/>`)}
${texture('changed', html`<path d="M0 4L3 1L6 4" class="ink" stroke-width="1.2"/>`)}
${texture('removed', html`<circle cx="3" cy="3" r="1.8" class="ink" stroke-width="1"/>`)}
${texture('unbanned', html`<path d="M0 3L3 6L6 3" class="ink" stroke-width="1.2"/>`)}
${texture('skipped', html`<path d="M0 1.5H6M0 4.5H6" class="ink" stroke-width="0.8"/>`)}
</defs></svg>`;
}

function texture(outcome: Outcome, marks: Markup): Markup {
  return html`<pattern id="p-${outcome}" width="6" height="6" patternUnits="userSpaceOnUse"><rect width="6" height="6" class="c-${outcome}"/>${marks}</pattern>`;
}

/** A swatch and a name for every outcome that occurs, with its count. */
export function legend(rows: RowCounts): Markup {
  return html`<ul class="legend">${outcomesShown(rows).map(
    (outcome) => html`<li>${swatch(outcome)} <b>${grouped(rows[outcome])}</b> ${OUTCOME_LABELS[outcome]}</li>`,
  )}</ul>`;
}

/** The outcome's colour and texture as a small square; says nothing by itself. */
export function swatch(outcome: Outcome): Markup {
  return html`<svg class="swatch" width="12" height="12" aria-hidden="true" focusable="false"><rect width="12" height="12" rx="2" class="o-${outcome}"/></svg>`;
}

/**
 * Outcomes as one bar of full width, in the order of OUTCOMES. Widths are shares of the rows that have an outcome,
 * except that none is narrower than can be seen (MIN_PERCENT).
 * `id` must be unique on the page; `name` says what the bar is about.
 */
export function stackedBar(id: string, name: string, rows: RowCounts, height: number): Markup {
  const present = OUTCOMES.filter((outcome) => rows[outcome] > 0);
  const description = present.map((outcome) => `${grouped(rows[outcome])} ${OUTCOME_LABELS[outcome]}`).join(', ');
  return html`<svg class="bar" width="100%" height="${height}" role="img" aria-labelledby="${id}-t ${id}-d"><title id="${id}-t">${name}</title><desc id="${id}-d">${description || 'no rows'}</desc><rect width="100%" height="${height}" rx="2" class="track"/>${segments(rows, present, height)}</svg>`;
}

function segments(rows: RowCounts, present: readonly Outcome[], height: number): Markup[] {
  const total = present.reduce((sum, outcome) => sum + rows[outcome], 0);
  const widths = present.map((outcome) => Math.max(MIN_PERCENT, (rows[outcome] / total) * 100));
  const scale = 100 / widths.reduce((sum, width) => sum + width, 0);
  let left = 0;
  return present.map((outcome, index) => {
    const width = (widths[index] ?? 0) * scale;
    const segment = html`<rect x="${percent(left)}" width="${percent(width)}" height="${height}" class="o-${outcome}"/>`;
    // A hairline of paper between neighbours, so that their border is visible without colour.
    const seam = html`<rect x="${percent(left)}" width="1" height="${height}" class="paper"/>`;
    left += width;
    return index === 0 ? segment : html`${segment}${seam}`;
  });
}

/** 12.3456 → "12.35%". */
export function percent(value: number): string {
  return `${Number(value.toFixed(2))}%`;
}
