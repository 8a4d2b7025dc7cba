import { OUTCOMES, type Outcome, type RowCounts } from '../../membership/outcome.ts';
import { html, type Markup, NOTHING } from '../../text/markup.ts';
import { counted, duration, grouped, OUTCOME_LABELS, outcomesShown, utcTime } from '../../text/wording.ts';
import { type CallBucket, type CallColumn, type CallTimeline, callTimeline } from './call-bucket.ts';

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
function percent(value: number): string {
  return `${Number(value.toFixed(2))}%`;
}

const CALLS_HEIGHT = 120;
const LATENCY_HEIGHT = 56;
/** Room above the highest bar for the label of the top line, in both drawings. */
const HEADROOM = 18;

/** Calls over time, one pair of drawings per region on the same axes: how many, and how long they took. */
export function callsSection(buckets: readonly CallBucket[]): Markup {
  const timeline = callTimeline(buckets);
  if (timeline === null) return NOTHING;
  const all = [...timeline.regions.values()].flat();
  const most = niceCeiling(Math.max(1, ...all.map(total)));
  const slowest = niceCeiling(Math.max(1, ...all.map((column) => column.maxMs)));
  return html`<section aria-labelledby="calls"><h2 id="calls">Calls over time</h2>
<p class="note">Each bar covers ${duration(timeline.columnMs)}. Below the bars: how long calls took, line for the median, tick for the slowest.</p>
<ul class="legend">
<li>${callSwatch('answered')} answered</li><li>${callSwatch('limited')} rate-limited (429)</li><li>${callSwatch('lost')} failed</li>
</ul>
${[...timeline.regions].map(([region, columns], index) => regionFigure(`calls-${index}`, region, columns, timeline, most, slowest))}</section>`;
}

function regionFigure(
  id: string,
  region: string,
  columns: readonly CallColumn[],
  timeline: CallTimeline,
  most: number,
  slowest: number,
): Markup {
  const sum = (count: (column: CallColumn) => number) => columns.reduce((whole, column) => whole + count(column), 0);
  const description = `${counted(sum(total), 'call')}, ${grouped(sum((c) => c.rateLimited))} rate-limited, ${grouped(sum((c) => c.failed))} failed`;
  const end = timeline.startedAt + timeline.columns * timeline.columnMs;
  const step = 100 / timeline.columns;
  return html`<figure class="calls"><figcaption><b>${region}</b> <span>${description}</span></figcaption>
<svg width="100%" height="${CALLS_HEIGHT}" role="img" aria-labelledby="${id}-t ${id}-d"><title id="${id}-t">Calls over time, region ${region}</title><desc id="${id}-d">${description}, at most ${grouped(Math.max(0, ...columns.map(total)))} in ${duration(timeline.columnMs)}.</desc>
${topLine(counted(most, 'call'))}
${columns.map((column) => callBar(column, step, most))}${baseLine(CALLS_HEIGHT)}</svg>
<svg width="100%" height="${LATENCY_HEIGHT}" role="img" aria-labelledby="${id}-lt ${id}-ld"><title id="${id}-lt">Duration of calls, region ${region}</title><desc id="${id}-ld">Slowest call ${duration(Math.max(0, ...columns.map((column) => column.maxMs)))}.</desc>
${topLine(duration(slowest))}${columns.map((column) => latencyMarks(column, step, slowest))}${baseLine(LATENCY_HEIGHT)}</svg>
<p class="axis"><time>${utcTime(timeline.startedAt)}</time><time>${utcTime(end)}</time></p></figure>`;
}

/** Bottom up: answered, rate-limited, failed. */
function callBar(column: CallColumn, step: number, most: number): Markup {
  let top = CALLS_HEIGHT;
  const parts = [
    ['answered', column.answered],
    ['limited', column.rateLimited],
    ['lost', column.failed],
  ] as const;
  return html`${parts
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => {
      const height = Math.max(1.5, (count / most) * (CALLS_HEIGHT - HEADROOM));
      top -= height;
      return html`<rect x="${percent(column.index * step + step * 0.08)}" y="${pixels(top)}" width="${percent(step * 0.84)}" height="${pixels(height)}" class="k-${kind}"/>`;
    })}`;
}

function latencyMarks(column: CallColumn, step: number, slowest: number): Markup {
  const level = (ms: number) => pixels(LATENCY_HEIGHT - 1 - (ms / slowest) * (LATENCY_HEIGHT - HEADROOM));
  const from = percent(column.index * step);
  const to = percent((column.index + 1) * step);
  const middle = percent((column.index + 0.5) * step);
  return html`<line x1="${middle}" x2="${middle}" y1="${level(column.maxMs)}" y2="${level(column.p50Ms)}" class="whisker"/><line x1="${from}" x2="${to}" y1="${level(column.p50Ms)}" y2="${level(column.p50Ms)}" class="median"/>`;
}

function topLine(label: string): Markup {
  return html`<line x1="0" x2="100%" y1="${HEADROOM}" y2="${HEADROOM}" class="grid"/><text x="0" y="${HEADROOM - 4}">${label}</text>`;
}

function baseLine(height: number): Markup {
  return html`<line x1="0" x2="100%" y1="${height - 0.5}" y2="${height - 0.5}" class="base"/>`;
}

function callSwatch(kind: 'answered' | 'limited' | 'lost'): Markup {
  return html`<svg class="swatch" width="12" height="12" aria-hidden="true" focusable="false"><rect width="12" height="12" rx="2" class="k-${kind}"/></svg>`;
}

function total(column: CallColumn): number {
  return column.answered + column.failed + column.rateLimited;
}

/** The next number with a single digit that is not zero: 7 → 7, 46 → 50, 280 → 300. */
function niceCeiling(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value));
  return unit * Math.ceil(value / unit);
}

function pixels(value: number): number {
  return Number(value.toFixed(1));
}
