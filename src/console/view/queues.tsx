/** The queue of each region: what waits and runs, and what stands still. */
import { useAnswer } from '../answer.ts';
import type { RegionQueue } from '../answers.ts';
import { Empty } from '../element.tsx';
import { counted, grouped } from '../format.ts';
import { ErrorNotice } from '../notice.tsx';
import { useListNews } from '../overview.ts';
import { RelativeTime } from '../relative-time.tsx';
import { type Column, DataTable } from '../table.tsx';
import { regionSentence } from '../words.ts';

/** While a region is at work: its queue is in no event. */
const EVERY_MS = 2000;

function isAtWork({ active, waiting, delayed }: RegionQueue) {
  return active + waiting + delayed > 0;
}

const COLUMNS: Column<RegionQueue>[] = [
  { label: 'Region', kind: 'main', cell: ({ region }) => region },
  { label: 'Now', kind: 'wide', cell: (status) => regionSentence(status) || 'Idle' },
  { label: 'In flight', kind: 'number', cell: ({ active }) => grouped(active) },
  { label: 'Waiting', kind: 'number', cell: ({ waiting }) => grouped(waiting) },
  {
    label: 'Next one waits since',
    cell: ({ waitingSince }) => waitingSince !== null && <RelativeTime iso={waitingSince} />,
  },
  { label: 'To retry', kind: 'number', cell: ({ delayed }) => grouped(delayed) },
  { label: 'Stalled', kind: 'number', cell: ({ stalled }) => grouped(stalled) },
  { label: 'Set aside', kind: 'number', cell: ({ setAside }) => grouped(setAside) },
  { label: 'Workers', kind: 'number', cell: ({ workers }) => grouped(workers) },
];

export function Queues() {
  const { data, error, reload } = useAnswer<{ regions: RegionQueue[] }>('/v1/regions', {
    everyMs: (known) => (known?.regions.some(isAtWork) ? EVERY_MS : undefined),
  });
  useListNews(['imports', 'sync'], () => void reload());
  if (error !== undefined) return <ErrorNotice error={error} />;
  if (data === undefined) return <Empty>Loading …</Empty>;
  if (data.regions.length === 0)
    return <Empty>No region is in use yet. An import starts the regions that it needs.</Empty>;
  const stalled = data.regions.reduce((sum, region) => sum + region.stalled, 0);
  const setAside = data.regions.reduce((sum, region) => sum + region.setAside, 0);
  return (
    <>
      <DataTable
        caption="What each region is doing"
        columns={COLUMNS}
        items={data.regions}
        keyOf={({ region }) => region}
      />
      {stalled > 0 && (
        <p class="note">
          A worker began {counted(stalled, 'call')} and then ended or stood still. Another worker makes them again.
        </p>
      )}
      {setAside > 0 && (
        <p class="note attention">
          {counted(setAside, 'job')} could not be read: another program must have written what was set aside.
          docs/deploy.md says how to look at them.
        </p>
      )}
    </>
  );
}
