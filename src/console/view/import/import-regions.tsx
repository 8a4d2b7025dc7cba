/** Progress by region, what each waits for, and the chart of calls per second. */

import { sumOfOutcomes } from '../../../membership/outcome.ts';
import { counted, grouped, sumOf } from '../../../text/wording.ts';
import type { RegionCounts, RegionQueue } from '../../answers.ts';
import { regionSentence } from '../../import-words.ts';
import { LineChart } from '../../kit/chart.tsx';
import { Card, Empty, Legend, OutcomeBar } from '../../kit/elements.tsx';
import { addressOf, connection } from '../../requests.ts';
import { useAnswer } from '../../use-answer.ts';
import type { ImportParts } from './live-import.ts';

export function ImportRegions({ view, queues }: ImportParts) {
  const now = connection.asOf === undefined ? queues : {};
  const withoutRegion = view.rows.read - sumOf(Object.values(view.regions).map(({ rows }) => rows.read));
  return (
    <ul class="regions plain">
      {Object.entries(view.regions).map(([region, own]) => (
        <Region key={region} region={region} own={own} now={now[region]} over={view.finishedAt !== null} />
      ))}
      {withoutRegion > 0 && (
        <li>
          <div class="row between baseline">
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
  now: RegionQueue | undefined;
  over: boolean;
}

function Region({ region, own, now, over }: RegionProperties) {
  // Rows that are left out when the import ends early are not done.
  const done = sumOfOutcomes(own.rows) - own.rows.unprocessed;
  const notes = [
    now !== undefined && done < own.rows.read && regionSentence(now),
    own.calls > 0 && counted(own.calls, 'call'),
    own.retries > 0 && `${grouped(own.retries)} retried`,
    own.rateLimited > 0 && `${grouped(own.rateLimited)} rate-limited`,
  ];
  return (
    <li>
      <div class="row between baseline">
        <h3>{region}</h3>
        <span class="number">
          {grouped(done)} of {counted(own.rows.read, 'row')}
        </span>
      </div>
      <OutcomeBar name={`Region ${region}`} rows={own.rows} />
      <p class={now?.stopped === true ? 'note attention' : 'note'}>{notes.filter(Boolean).join(' · ')}</p>
      <Legend rows={own.rows} over={over} />
    </li>
  );
}

const LINES = [
  { of: 'calls', label: 'calls', colour: '--accent' },
  { of: 'rateLimited', label: 'rate-limited', colour: '--invalid' },
] as const;

/** The calls that the ledger has. */
export function ImportPace({ view: { id, state, startedAt, finishedAt, calls } }: ImportParts) {
  // Calls that cannot be loaded are missing from the chart; the page gives the reason elsewhere.
  const path = startedAt === null ? null : addressOf('GET /v1/imports/:id/calls', { id });
  const { data, error } = useAnswer(path, { turn: `${state} ${calls}` });
  if (startedAt === null || (data ?? error) === undefined) return null;
  const rates = data?.rates ?? [];
  const hasChart = rates.filter((point) => point.calls !== null).length > 1;
  if (!hasChart && finishedAt !== null) return null;
  return (
    <Card id="pace" title="Pace">
      {hasChart ? (
        <LineChart
          name="Calls a second"
          lines={LINES}
          times={rates.map(({ at }) => Date.parse(at) / 1000)}
          columns={LINES.map(({ of }) => rates.map((point) => point[of]))}
        />
      ) : (
        <Empty>
          {calls > 0 ? 'The first calls have been made; the chart follows in some seconds.' : 'No calls yet.'}
        </Empty>
      )}
    </Card>
  );
}
