/** Progress by region, what each waits for, and the charts of calls and outcomes per second. */

import { useMemo } from 'preact/hooks';
import { sumOfOutcomes } from '../../../membership/outcome.ts';
import { counted, grouped } from '../../../text/wording.ts';
import type { ImportState, RegionCounts, RegionProgress } from '../../answers.ts';
import { rate, timeOfDay } from '../../format.ts';
import { regionSentence } from '../../import-words.ts';
import { type Line, LineChart, type Shown } from '../../kit/chart.tsx';
import { Empty, Legend, OutcomeBar } from '../../kit/elements.tsx';
import { addressOf, connection } from '../../requests.ts';
import { useAnswer } from '../../use-answer.ts';
import type { LiveImport, Rate } from './live-import.ts';

/** The queue is shared: what waits there is of this import only while it is at work. */
const AT_WORK: readonly ImportState[] = ['running', 'pausing', 'blocked', 'cancelling'];

export function ImportRegions({ live }: { live: LiveImport }) {
  const view = live.view.value;
  if (view === undefined) return null;
  const isKnown = connection.asOf.value === null && AT_WORK.includes(view.state);
  const now = isKnown ? live.progress.value?.regions : undefined;
  const withoutRegion = view.rows.read - Object.values(view.regions).reduce((sum, { rows }) => sum + rows.read, 0);
  return (
    <ul class="regions">
      {Object.entries(view.regions).map(([region, own]) => (
        <Region key={region} region={region} own={own} now={now?.[region]} over={view.finishedAt !== null} />
      ))}
      {withoutRegion > 0 && (
        <li>
          <div class="line">
            <h3>No region</h3>
            <span class="number">{counted(withoutRegion, 'row')}</span>
          </div>
          <p class="note">Invalid: the row does not say a region that exists.</p>
        </li>
      )}
    </ul>
  );
}

interface RegionProperties {
  region: string;
  own: RegionCounts;
  now: RegionProgress | undefined;
  over: boolean;
}

function Region({ region, own, now, over }: RegionProperties) {
  // Rows that are left out when the import ends early are not done.
  const done = sumOfOutcomes(own.rows) - own.rows.unprocessed;
  const notes = [
    now !== undefined && done < own.rows.read ? regionSentence(now) : '',
    now !== undefined && now.callsPerSecond !== null && now.rowsPerSecond !== null && now.callsPerSecond > 0
      ? `${rate(now.callsPerSecond)} calls and ${rate(now.rowsPerSecond)} rows a second`
      : '',
    own.calls > 0 ? counted(own.calls, 'call') : '',
    own.retries > 0 ? `${grouped(own.retries)} retried` : '',
    own.rateLimited > 0 ? `${grouped(own.rateLimited)} rate-limited` : '',
  ];
  return (
    <li>
      <div class="line">
        <h3>{region}</h3>
        <span class="number">
          {grouped(done)} of {counted(own.rows.read, 'row')}
        </span>
      </div>
      <OutcomeBar name={`Region ${region}`} rows={own.rows} />
      <p class={now?.stopped === true ? 'note attention' : 'note'}>{notes.filter((note) => note !== '').join(' · ')}</p>
      <div class="small">
        <Legend rows={own.rows} over={over} />
      </div>
    </li>
  );
}

type Point = Pick<Rate, 'at' | 'calls' | 'rateLimited'>;

const CALLS = [
  { of: 'calls', label: 'calls', colour: '--accent' },
  { of: 'rateLimited', label: 'rate-limited', colour: '--invalid' },
] as const;
const OUTCOMES = [
  { of: 'succeeded', label: 'succeeded', colour: '--added' },
  { of: 'wentWrong', label: 'went wrong', colour: '--failed' },
] as const;

export function ImportPace({ id, live }: { id: string; live: LiveImport }) {
  const path = addressOf('GET /v1/imports/:id/calls', { id });
  // Calls that cannot be loaded are missing from the chart; the page gives the reason elsewhere.
  const { data, error } = useAnswer(live.hasRows.value ? path : null, { turn: live.turns.value });
  const known = useMemo(
    () => (data?.rates ?? []).map(({ at, ...rate }) => ({ at: Date.parse(at) / 1000, ...rate })),
    [data],
  );
  const told = live.rates.value;
  const view = live.view.value;
  if ((view?.startedAt ?? null) === null || (data ?? error) === undefined) return null;
  const hasCalls = (view?.calls ?? 0) > 0;
  return (
    <div class="charts">
      <Charts known={known} told={told} over={live.over.value} hasCalls={hasCalls} />
    </div>
  );
}

interface ChartsProperties {
  known: readonly Point[];
  told: readonly Rate[];
  over: boolean;
  hasCalls: boolean;
}

function Charts({ known, told, over, hasCalls }: ChartsProperties) {
  // When it is over, the ledger knows all of it, and shows the same to everyone.
  const calls = useMemo(() => (over ? known : callsOf(known, told)), [known, told, over]);
  if (calls.filter((point) => point.calls !== null).length < 2) {
    if (over) return null;
    return (
      <Empty>{hasCalls ? 'The first calls have been made; the chart follows in some seconds.' : 'No calls yet.'}</Empty>
    );
  }
  const asOf = connection.asOf.value;
  const shows = over ? 'at most' : asOf === null ? 'now' : (`as of ${timeOfDay(asOf)}` as const);
  const hasOutcomes = told.filter(({ succeeded, wentWrong }) => (succeeded ?? 0) + (wentWrong ?? 0) > 0).length >= 2;
  return (
    <>
      <RatesChart name="Calls a second" lines={CALLS} points={calls} shows={shows} />
      {!over && hasOutcomes && <RatesChart name="Outcomes a second" lines={OUTCOMES} points={told} shows={shows} />}
    </>
  );
}

interface RatesChartProperties {
  name: string;
  lines: readonly (Line & { of: string })[];
  points: readonly ({ at: number } & Readonly<Record<string, number | null>>)[];
  shows: Shown;
}

function RatesChart({ name, lines, points, shows }: RatesChartProperties) {
  const times = useMemo(() => points.map(({ at }) => at), [points]);
  const columns = useMemo(() => lines.map(({ of }) => points.map((point) => point[of] ?? null)), [lines, points]);
  return <LineChart name={name} lines={lines} times={times} columns={columns} shows={shows} />;
}

/** The calls that the ledger knows, then those that events told since; what is between is not known. */
function callsOf(known: readonly Point[], told: readonly Rate[]) {
  const end = known.at(-1)?.at ?? 0;
  const since = told.filter(({ at }) => at > end);
  const first = since[0];
  if (first === undefined || known.length === 0) return [...known, ...since];
  return [...known, { at: (end + first.at) / 2, calls: null, rateLimited: null }, ...since];
}
