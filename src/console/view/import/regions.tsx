/** Progress by region, and what each waits for. */
import type { ImportState, RegionCounts, RegionProgress } from '../../answers.ts';
import { connection } from '../../connection.ts';
import { counted, grouped, rate } from '../../format.ts';
import { Legend, OutcomeBar } from '../../outcome-bar.tsx';
import { regionSentence, settled } from '../../words.ts';
import type { LiveImport } from './live-import.ts';

const IDLE: readonly ImportState[] = [
  'staging',
  'staged',
  'paused',
  'cancelled',
  'aborted',
  'completed',
  'rejected',
  'failed',
];

export function ImportRegions({ live }: { live: LiveImport }) {
  const view = live.view.value;
  if (view === undefined) return null;
  // The queue is shared: what waits there is of this import only while it is at work.
  const isKnown = connection.asOf.value === null && !IDLE.includes(view.state);
  const now = isKnown ? live.progress.value?.regions : undefined;
  const elsewhere = view.rows.read - Object.values(view.regions).reduce((sum, { rows }) => sum + rows.read, 0);
  return (
    <ul class="regions">
      {Object.entries(view.regions).map(([region, own]) => (
        <Region key={region} region={region} own={own} now={now?.[region]} over={view.finishedAt !== null} />
      ))}
      {elsewhere > 0 && (
        <li>
          <div class="line">
            <h3>No region</h3>
            <span class="number">{counted(elsewhere, 'row')}</span>
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
  const done = settled(own.rows) - own.rows.unprocessed;
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
