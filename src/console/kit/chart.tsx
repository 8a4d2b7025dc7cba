/** Lines over time, drawn by uPlot in the colours of the page. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { rate } from '../format.ts';

const HEIGHT = 150;
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const CLOCK_WITH_SECONDS = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

const DAY_AND_CLOCK = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
/** Seconds between marks. */
const STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400, 604_800, 2_592_000,
];
/** Points at least this far apart stand for days, in seconds. */
const HALF_A_DAY = 43_200;

export interface Line {
  label: string;
  /** Name of a colour in theme.css, such as `--accent`. */
  colour: string;
}

export type Shown = 'now' | 'at most' | `as of ${string}`;

interface LineChartProperties {
  /** The name of the drawn values. */
  name: string;
  /** The same array for as long as the chart is there. */
  lines: readonly Line[];
  /** Seconds since 1970. */
  times: number[];
  /** One for each line. */
  columns: (number | null)[][];
  /** The values that are shown while the pointer is at none. */
  shows: Shown;
}

/**
 * A chart that is as wide as its place and follows the colour scheme. The newest or largest values, or those under the pointer,
 * stand above it as text; a screen reader gets the summary.
 */
export function LineChart({ name, lines, times, columns, shows }: LineChartProperties) {
  const canvas = useRef<HTMLDivElement | null>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const data = useRef<uPlot.AlignedData>([[]]);
  /** The point under the pointer; null for the newest. */
  const [pointed, setPointed] = useState<number | null>(null);
  data.current = [times, ...columns];

  useEffect(() => {
    const place = canvas.current;
    if (place === null) return;
    const draw = () => {
      plot.current?.destroy();
      const width = place.clientWidth;
      plot.current =
        width === 0
          ? undefined
          : new uPlot(
              options(lines, width, (index) => setPointed(index ?? null)),
              data.current,
              place,
            );
    };
    const resized = new ResizeObserver(() => {
      if (plot.current === undefined) draw();
      else if (plot.current.width !== place.clientWidth)
        plot.current.setSize({ width: place.clientWidth, height: HEIGHT });
    });
    resized.observe(place);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      resized.disconnect();
      scheme.removeEventListener('change', draw);
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [lines]);
  // Before the browser draws the rest of the page: later, it would draw all twice.
  useLayoutEffect(() => plot.current?.setData(data.current), [times, columns]);

  const isPeak = shows === 'at most' && pointed === null;
  const shown = pointed ?? times.length - 1;
  const most = lines.map(({ label }, index) => `at most ${rate(largest(columns[index]))} ${label}`);
  return (
    <figure class="chart">
      <figcaption>
        <span class="name">
          {name}
          <span class="soft">, {whenOf(pointed, times, shows)}</span>
        </span>
        {lines.map(({ label, colour }, index) => {
          const value = isPeak ? largest(columns[index]) : columns[index]?.[shown];
          return (
            <span key={label}>
              <span class="swatch" style={{ background: `var(${colour})` }} />
              <b>{value === null || value === undefined ? '–' : rate(value)}</b> {label}
            </span>
          );
        })}
      </figcaption>
      <div ref={canvas} role="img" class="canvas" aria-label={`${name}: ${most.join(', ')}`} />
    </figure>
  );
}

/** Returns the values that stand above the chart. */
function whenOf(pointed: number | null, times: readonly number[], shows: Shown) {
  if (pointed === null) return shows;
  const at = times[pointed];
  if (at === undefined) return '';
  const step = (times.at(-1) ?? at) - (times[0] ?? at);
  return `at ${(step > 2 * 86_400 ? DAY_AND_CLOCK : CLOCK_WITH_SECONDS).format(at * 1000)}`;
}

function largest(values: readonly (number | null)[] | undefined = []) {
  return values.reduce((most: number, value) => Math.max(most, value ?? 0), 0);
}

function options(
  lines: readonly Line[],
  width: number,
  read: (index: number | null | undefined) => void,
): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colour = (variable: string) => style.getPropertyValue(variable).trim();
  const font = '12px system-ui, sans-serif';
  const axis = { stroke: colour('--soft'), font, grid: { stroke: colour('--rule'), width: 1 }, ticks: { show: false } };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { setScale: false, x: false }, points: { size: 6 } },
    padding: [8, 26, 0, 0],
    scales: { y: { range: (_, __, max) => [0, Math.max(1, max * 1.08)] } },
    axes: [
      {
        ...axis,
        size: 28,
        space: 70,
        // Marks nearer than a second would say the same time twice.
        incrs: STEPS,
        values: (_, splits, __, ___, step) => splits.map((at) => clockFor(step).format(at * 1000)),
      },
      { ...axis, size: 52, space: 32, values: (_, splits) => splits.map(rate) },
    ],
    series: [
      {},
      ...lines.map(({ colour: variable }, index) => ({
        stroke: colour(variable),
        width: 2,
        points: { show: false },
        ...(index === 0 && { fill: `${colour(variable)}22` }),
      })),
    ],
    hooks: { setCursor: [(plot) => read(plot.cursor.idx)] },
  };
}

/** @param step between marks, in seconds */
function clockFor(step: number) {
  if (step >= HALF_A_DAY) return DAY;
  return step < 60 ? CLOCK_WITH_SECONDS : CLOCK;
}
