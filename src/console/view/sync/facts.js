/** What guards say, who moved a sync, and its plan as a file. */
import { syncPath } from '../../api.js';
import { foreign, h } from '../../element.js';
import { time } from '../../format.js';
import { SYNC_TONES } from '../../sync-words.js';

/** @import { Finding, SyncView } from '../../sync-answers.d.ts' */

/** Each with what is allowed and what to do: the guard's own sentence. @param {readonly Finding[]} findings */
export function syncFindings(findings) {
  return findings.map(({ guard, sentence }) =>
    h('li', {}, h('p', {}, foreign(sentence)), h('p', { class: 'note' }, 'Guard ', h('code', {}, guard))),
  );
}

/** @param {SyncView['moves']} moves */
export function syncJournal(moves) {
  return moves.map(({ at, state, reason, who }) =>
    h(
      'li',
      {},
      time(at, { seconds: true }),
      h('span', { class: `badge ${SYNC_TONES[state]}` }, state),
      h('span', {}, foreign(reason), who !== '' && [' (', foreign(who), ')']),
    ),
  );
}

/** @param {string} id */
export function syncDownloads(id) {
  const link = (/** @type {string} */ format) =>
    h(
      'a',
      {
        href: syncPath(id, `/plan?format=${format}`),
        download: true,
        'aria-label': `Every member, with the action: ${format.toUpperCase()}`,
      },
      format.toUpperCase(),
    );
  return h(
    'ul',
    { class: 'downloads' },
    h(
      'li',
      {},
      h('div', {}, h('b', {}, 'Every member, with the action')),
      h('div', { class: 'links' }, link('csv'), link('json')),
    ),
  );
}
