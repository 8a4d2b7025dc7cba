/** Imports and syncs under way, with how far they are and when they will be over. */
import { connection } from '../../connection.js';
import { Badge, Card, foreign, h, importHref, syncHref } from '../../element.js';
import { counted, estimate, grouped, timeOfDay } from '../../format.js';
import { OutcomeBar } from '../../outcome-bar.js';
import { SYNC_TONES } from '../../sync-words.js';
import { fileName, settled, stateLabel, stateTone } from '../../words.js';

/** @import { Overview, RunningImport } from '../../answers.d.ts' */

/** @param {{ overview: Overview }} properties */
export function Running({ overview: { running, queued, syncsUnderWay } }) {
  return h(
    Card,
    { id: 'running', title: 'Running' },
    h(
      'ul',
      { class: 'plain under-way' },
      running.map((view) => h('li', { key: view.id }, h(RunningItem, { view }))),
      syncsUnderWay.map(({ id, file, state }) =>
        h(
          'li',
          { key: id },
          h(
            'p',
            null,
            h('a', { href: syncHref(id) }, foreign(fileName(file))),
            ' ',
            h(Badge, { tone: SYNC_TONES[state] }, state),
          ),
        ),
      ),
    ),
    queued > 0 &&
      h(
        'p',
        { class: 'soft' },
        h('a', { href: '/imports?state=staging' }, counted(queued, 'import')),
        ` ${queued === 1 ? 'waits' : 'wait'} for other files to be read first.`,
      ),
  );
}

/** @param {{ view: RunningImport }} properties */
function RunningItem({ view }) {
  const { id, file, rows, staging, etaSeconds, stoppedRegions, unansweredRegions } = view;
  const asOf = connection.asOf.value;
  const done = settled(rows);
  const share = rows.read === 0 ? 0 : Math.floor((done / rows.read) * 100);
  return [
    h(
      'p',
      { key: 'name' },
      h('a', { href: importHref(id) }, foreign(fileName(file))),
      ' ',
      h(Badge, { tone: stateTone(view) }, stateLabel(view)),
      stoppedRegions.length > 0 && [' ', h(Badge, { tone: 'attention' }, `${stoppedRegions.join(', ')} stopped`)],
      unansweredRegions.length > 0 && [
        ' ',
        h(Badge, { tone: 'attention' }, `no answer in ${unansweredRegions.join(', ')}`),
      ],
    ),
    staging !== null
      ? h('p', { key: 'read', class: 'soft' }, `${counted(staging.rows, 'row')} read`)
      : rows.read > 0 && h(OutcomeBar, { key: 'bar', name: `Rows of ${fileName(file)} by outcome`, rows }),
    rows.read > 0 &&
      h(
        'p',
        { key: 'text', class: 'soft' },
        `${share} %: ${grouped(done)} of ${counted(rows.read, 'row')}`,
        asOf !== null ? `, as of ${timeOfDay(asOf)}` : etaSeconds !== null && `, ${estimate(etaSeconds)}`,
      ),
  ];
}
