import { html, type Markup, NOTHING } from '../../text/markup.ts';
import { counted, duration, grouped, utcTime } from '../../text/wording.ts';
import { type CallBucket, type CallColumn, type CallTimeline, callTimeline } from './call-bucket.ts';
import { percent } from './html-bars.ts';

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
