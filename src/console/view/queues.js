/** The queue of each region: what waits and runs, and what stands still. */
import { useAnswer } from '../answer.js';
import { Empty, h } from '../element.js';
import { counted, grouped } from '../format.js';
import { ErrorNotice } from '../notice.js';
import { useListNews } from '../overview.js';
import { RelativeTime } from '../relative-time.js';
import { dataTable } from '../table.js';
import { regionSentence } from '../words.js';

/** @import { RegionQueue } from '../answers.d.ts' */

/** While a region is at work: its queue is in no event. */
const EVERY_MS = 2000;

/** @param {RegionQueue} region */
function isAtWork({ active, waiting, delayed }) {
  return active + waiting + delayed > 0;
}

/** @type {import('../table.js').Column<RegionQueue>[]} */
const COLUMNS = [
  { label: 'Region', kind: 'main', cell: ({ region }) => region },
  { label: 'Now', kind: 'wide', cell: (status) => regionSentence(status) || 'Idle' },
  { label: 'In flight', kind: 'number', cell: ({ active }) => grouped(active) },
  { label: 'Waiting', kind: 'number', cell: ({ waiting }) => grouped(waiting) },
  {
    label: 'Next one waits since',
    cell: ({ waitingSince }) => waitingSince !== null && h(RelativeTime, { iso: waitingSince }),
  },
  { label: 'To retry', kind: 'number', cell: ({ delayed }) => grouped(delayed) },
  { label: 'Stalled', kind: 'number', cell: ({ stalled }) => grouped(stalled) },
  { label: 'Set aside', kind: 'number', cell: ({ setAside }) => grouped(setAside) },
  { label: 'Workers', kind: 'number', cell: ({ workers }) => grouped(workers) },
];

export function Queues() {
  /** @type {import('../answer.js').Answer<{ regions: RegionQueue[] }>} */
  const { data, error, reload } = useAnswer('/v1/regions', {
    everyMs: (known) => (known?.regions.some(isAtWork) ? EVERY_MS : undefined),
  });
  useListNews(['imports', 'sync'], () => void reload());
  if (error !== undefined) return h(ErrorNotice, { error });
  if (data === undefined) return h(Empty, {}, 'Loading …');
  if (data.regions.length === 0)
    return h(Empty, {}, 'No region is in use yet. An import starts the regions that it needs.');
  const stalled = data.regions.reduce((sum, region) => sum + region.stalled, 0);
  const setAside = data.regions.reduce((sum, region) => sum + region.setAside, 0);
  return [
    dataTable({
      caption: 'What each region is doing',
      columns: COLUMNS,
      items: data.regions,
      keyOf: ({ region }) => region,
    }),
    stalled > 0 &&
      h(
        'p',
        { key: 'stalled', class: 'note' },
        `A worker began ${counted(stalled, 'call')} and then ended or stood still. Another worker makes them again.`,
      ),
    setAside > 0 &&
      h(
        'p',
        { key: 'aside', class: 'note attention' },
        `${counted(setAside, 'job')} could not be read: another program must have written what was set aside. docs/deploy.md says how to look at them.`,
      ),
  ];
}
