/** Lines over time, as a drawing that is as wide as its place and has the colours of the page. */
import { useState } from 'preact/hooks';
import { rate, timeOfDay, timeToTheSecond } from '../format.ts';

const DAY_S = 86_400;

interface Line {
  label: string;
  /** Name of a colour in theme.css, such as `--accent`. */
  colour: string;
}

interface LineChartProperties {
  name: string;
  lines: readonly Line[];
  /** Seconds since 1970; at least two. */
  times: readonly number[];
  /** One for each line; null parts it. */
  columns: readonly (readonly (number | null)[])[];
}

/** The largest values, or those under the pointer, stand above the lines as text; a screen reader gets the summary. */
export function LineChart({ name, lines, times, columns }: LineChartProperties) {
  const [pointed, setPointed] = useState<number | undefined>(undefined);
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const most = Math.max(1, ...columns.map(largest));
  const x = (at: number) => ((at - first) / (last - first || 1)) * 100;
  const timeText = (at: number) => (last - first > DAY_S ? timeToTheSecond : timeOfDay)(at * 1000);
  const at = pointed === undefined ? undefined : times[pointed];
  return (
    <figure class="chart">
      <figcaption>
        <span class="name">
          {name}
          <span class="soft">, {at === undefined ? 'at most' : `at ${timeText(at)}`}</span>
        </span>
        {lines.map(({ label, colour }, index) => {
          const values = columns[index] ?? [];
          const value = pointed === undefined ? largest(values) : values[pointed];
          return (
            <span key={label}>
              <span class="swatch" style={{ background: `var(${colour})` }} />
              <b>{value === null || value === undefined ? '–' : rate(value)}</b> {label}
            </span>
          );
        })}
      </figcaption>
      <svg
        role="img"
        aria-label={`${name}: ${lines.map(({ label }, index) => `at most ${rate(largest(columns[index] ?? []))} ${label}`).join(', ')}`}
        viewBox="0 0 100 100"
        preserveAspectRatio="none"
        onPointerMove={({ currentTarget, clientX }) => {
          const { left, width } = currentTarget.getBoundingClientRect();
          const wanted = first + ((clientX - left) / width) * (last - first);
          setPointed(times.reduce((best, time, index) => (nearer(time, times[best] ?? 0, wanted) ? index : best), 0));
        }}
        onPointerLeave={() => setPointed(undefined)}
      >
        {lines.map(({ label, colour }, index) => (
          <path
            key={label}
            style={{ stroke: `var(${colour})` }}
            d={pathOf(
              (columns[index] ?? []).map(
                (value, at) => value !== null && [x(times[at] ?? 0), 100 - (value / most) * 100],
              ),
            )}
          />
        ))}
        {at !== undefined && <path d={`M${x(at)} 0V100`} />}
      </svg>
      <p class="soft row between" aria-hidden>
        <span>{timeText(first)}</span>
        <span>up to {rate(most)}</span>
        <span>{timeText(last)}</span>
      </p>
    </figure>
  );
}

/** A line through the points; false parts it. */
function pathOf(points: readonly (false | readonly [x: number, y: number])[]) {
  return points
    .map((point, index) => point && `${points[index - 1] ? 'L' : 'M'}${point.map((one) => one.toFixed(2)).join(' ')}`)
    .filter(Boolean)
    .join('');
}

function nearer(one: number, other: number, to: number) {
  return Math.abs(one - to) < Math.abs(other - to);
}

function largest(values: readonly (number | null)[]) {
  return values.reduce((most: number, value) => Math.max(most, value ?? 0), 0);
}
