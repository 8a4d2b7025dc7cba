/** Progress by region, and what each waits for. */
import { connection } from '../../connection.js';
import { h } from '../../element.js';
import { counted, grouped, rate } from '../../format.js';
import { Legend, OutcomeBar } from '../../outcome-bar.js';
import { regionSentence, settled } from '../../words.js';

/** @import { ImportState, RegionCounts, RegionProgress } from '../../answers.d.ts' */
/** @import { LiveImport } from './live-import.js' */

/** @type {readonly ImportState[]} */
const IDLE = ['staging', 'staged', 'paused', 'cancelled', 'aborted', 'completed', 'rejected', 'failed'];

/** @param {{ live: LiveImport }} properties */
export function ImportRegions({ live }) {
  const view = live.view.value;
  if (view === undefined) return null;
  // The queue is shared: what waits there is of this import only while it is at work.
  const isKnown = connection.asOf.value === null && !IDLE.includes(view.state);
  const now = isKnown ? live.progress.value?.regions : undefined;
  const elsewhere = view.rows.read - Object.values(view.regions).reduce((sum, { rows }) => sum + rows.read, 0);
  return h(
    'ul',
    { class: 'regions' },
    Object.entries(view.regions).map(([region, own]) =>
      h(Region, { key: region, region, own, now: now?.[region], over: view.finishedAt !== null }),
    ),
    elsewhere > 0 &&
      h(
        'li',
        { key: '' },
        h(
          'div',
          { class: 'line' },
          h('h3', null, 'No region'),
          h('span', { class: 'number' }, counted(elsewhere, 'row')),
        ),
        h('p', { class: 'note' }, 'Invalid: the row does not say a region that exists.'),
      ),
  );
}

/** @param {{ region: string, own: RegionCounts, now: RegionProgress | undefined, over: boolean }} properties */
function Region({ region, own, now, over }) {
  // What is left out when the import ends early has not been done.
  const done = settled(own.rows) - own.rows.unprocessed;
  const notes = [
    now !== undefined && done < own.rows.read ? regionSentence(now) : '',
    now !== undefined && now.callsPerSecond > 0
      ? `${rate(now.callsPerSecond)} calls and ${rate(now.rowsPerSecond)} rows a second`
      : '',
    own.calls > 0 ? counted(own.calls, 'call') : '',
    own.retries > 0 ? `${grouped(own.retries)} retried` : '',
    own.rateLimited > 0 ? `${grouped(own.rateLimited)} rate-limited` : '',
  ];
  return h(
    'li',
    null,
    h(
      'div',
      { class: 'line' },
      h('h3', null, region),
      h('span', { class: 'number' }, `${grouped(done)} of ${counted(own.rows.read, 'row')}`),
    ),
    h(OutcomeBar, { name: `Region ${region}`, rows: own.rows }),
    h(
      'p',
      { class: now?.stopped === true ? 'note attention' : 'note' },
      notes.filter((note) => note !== '').join(' · '),
    ),
    h('div', { class: 'small' }, h(Legend, { rows: own.rows, over })),
  );
}
