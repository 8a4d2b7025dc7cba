/** Lines over time, drawn by uPlot in the colours of the page. */
import uPlot from '/assets/uPlot.esm.js';
import { h } from './element.js';
import { rate } from './format.js';

const HEIGHT = 150;
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const CLOCK_WITH_SECONDS = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
/** Points at least this far apart stand for days, in seconds. */
const HALF_A_DAY = 43_200;

/**
 * @typedef {object} Line
 * @property {string} label
 * @property {string} colour name of a colour in theme.css, such as `--accent`
 */

/**
 * A chart that is as wide as its place and follows the colour scheme. The newest values, or those under the pointer,
 * stand above it as text; a screen reader gets the summary.
 * @param {string} name what is drawn
 * @param {readonly Line[]} lines
 * @param {AbortSignal} signal
 */
export function lineChart(name, lines, signal) {
  const values = lines.map(() => h('b', {}, '–'));
  const readout = h(
    'figcaption',
    {},
    h('span', { class: 'name' }, name),
    lines.map(({ label, colour }, index) => {
      const key = h('span', { class: 'swatch' });
      key.style.background = `var(${colour})`;
      return h('span', {}, key, values[index], ` ${label}`);
    }),
  );
  const canvas = h('div', { role: 'img', class: 'canvas' });
  const element = h('figure', { class: 'chart' }, readout, canvas);
  /** @type {[number[], ...(number | null)[][]]} */
  let data = [[], ...lines.map(() => [])];
  /** @type {uPlot | undefined} */
  let plot;

  const read = (/** @type {number | null | undefined} */ index) => {
    const place = index ?? data[0].length - 1;
    values.forEach((value, line) => {
      const shown = data[line + 1]?.[place];
      value.textContent = shown === null || shown === undefined ? '–' : rate(shown);
    });
  };
  const draw = () => {
    plot?.destroy();
    plot = canvas.clientWidth === 0 ? undefined : new uPlot(options(lines, canvas.clientWidth, read), data, canvas);
  };
  const resized = new ResizeObserver(() => {
    if (plot === undefined) draw();
    else if (plot.width !== canvas.clientWidth) plot.setSize({ width: canvas.clientWidth, height: HEIGHT });
  });
  resized.observe(canvas);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw, { signal });
  signal.addEventListener('abort', () => {
    resized.disconnect();
    plot?.destroy();
  });

  return {
    element,
    /**
     * @param {number[]} times seconds since 1970
     * @param {(number | null)[][]} columns one for each line
     */
    show: (times, columns) => {
      data = [times, ...columns];
      plot?.setData(data);
      if (plot?.cursor.idx === null || plot?.cursor.idx === undefined) read(undefined);
      const most = lines.map(
        ({ label }, index) =>
          `at most ${rate(Math.max(0, ...(columns[index] ?? []).map((value) => value ?? 0)))} ${label}`,
      );
      canvas.setAttribute('aria-label', `${name}: ${most.join(', ')}`);
    },
  };
}

/**
 * @param {readonly Line[]} lines
 * @param {number} width
 * @param {(index: number | null | undefined) => void} read
 * @returns {uPlot.Options}
 */
function options(lines, width, read) {
  const style = getComputedStyle(document.documentElement);
  const colour = (/** @type {string} */ variable) => style.getPropertyValue(variable).trim();
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

/** @param {number} step between marks, in seconds */
function clockFor(step) {
  if (step >= HALF_A_DAY) return DAY;
  return step < 60 ? CLOCK_WITH_SECONDS : CLOCK;
}
