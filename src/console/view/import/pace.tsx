/** The charts of calls and outcomes per second: what has been, from the ledger, then what comes, from events. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { type Line, LineChart, type Shown } from '../../chart.tsx';
import { connection } from '../../connection.ts';
import { Empty } from '../../element.tsx';
import { timeOfDay } from '../../format.ts';
import type { LiveImport, Rate } from './live-import.ts';

type Point = Pick<Rate, 'at' | 'calls' | 'rateLimited'>;

const BUCKETS = 200;

const CALLS = [
  { of: 'calls', label: 'calls', colour: '--accent' },
  { of: 'rateLimited', label: 'rate-limited', colour: '--invalid' },
] as const;
const OUTCOMES = [
  { of: 'succeeded', label: 'succeeded', colour: '--added' },
  { of: 'wentWrong', label: 'went wrong', colour: '--failed' },
] as const;

export function ImportPace({ id, live }: { id: string; live: LiveImport }) {
  const known = useKnownCalls(id, live);
  const told = live.rates.value;
  const view = live.view.value;
  if ((view?.startedAt ?? null) === null || known === undefined) return null;
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

/**
 * Loads the ledger's record of the calls.
 * @returns undefined until it has been asked
 */
function useKnownCalls(id: string, live: LiveImport): readonly Point[] | undefined {
  const [known, setKnown] = useState<readonly Point[] | undefined>(undefined);
  const turns = live.turns.value;
  const hasRows = live.hasRows.value;
  useEffect(() => {
    if (!hasRows) return;
    const leaving = new AbortController();
    const load = async () => {
      const { rates } = await call('GET /v1/imports/:id/calls', { id, query: { buckets: BUCKETS } }, leaving.signal);
      setKnown(rates.map(({ at, ...rate }) => ({ at: Date.parse(at) / 1000, ...rate })));
    };
    // Calls that cannot be loaded are missing from the chart; the page gives the reason elsewhere.
    load().catch(() => setKnown((before) => before ?? []));
    return () => leaving.abort();
  }, [turns, hasRows]);
  return known;
}

/** The calls that the ledger knows, then those that events told since; what is between is not known. */
function callsOf(known: readonly Point[], told: readonly Rate[]) {
  const end = known.at(-1)?.at ?? 0;
  const since = told.filter(({ at }) => at > end);
  const first = since[0];
  if (first === undefined || known.length === 0) return [...known, ...since];
  return [...known, { at: (end + first.at) / 2, calls: null, rateLimited: null }, ...since];
}
