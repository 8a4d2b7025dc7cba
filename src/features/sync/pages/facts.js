/** Who moved a sync, and its plan as a file. */
import { syncPath } from '../../../console/api.js';
import { Badge, foreign, h } from '../../../console/element.js';
import { SYNC_TONES } from '../../../console/sync-words.js';
import { Time } from '../../../console/time.js';
import { Download } from '../../../console/view/import/downloads.js';

/** @import { SyncView } from '../../../console/sync-answers.d.ts' */

/** @param {{ moves: SyncView['moves'] }} properties */
export function SyncJournal({ moves }) {
  return h(
    'ol',
    { class: 'journal' },
    moves.map(({ at, state, reason, who }, index) =>
      h(
        'li',
        { key: index },
        h(Time, { iso: at, seconds: true }),
        h(Badge, { tone: SYNC_TONES[state] }, state),
        h('span', null, foreign(reason), who !== '' && [' (', foreign(who), ')']),
      ),
    ),
  );
}

/** @param {{ view: SyncView }} properties */
export function SyncDownloads({ view: { id, importId, totals } }) {
  const takes = totals === null ? 0 : totals.actions.remove + totals.actions.ban;
  return h(
    'ul',
    { class: 'downloads' },
    h(Download, {
      name: 'Every member, with the action',
      links: ['csv', 'json'].map((format) => ({
        text: format.toUpperCase(),
        href: syncPath(id, `/plan?format=${format}`),
      })),
    }),
    importId !== null &&
      takes > 0 &&
      h(Download, {
        name: 'Members before the sync',
        note: 'of the groups it takes something from, as a file that imports read back',
        links: [{ text: 'CSV', href: syncPath(id, '/before') }],
      }),
  );
}
