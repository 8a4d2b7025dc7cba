/** What a person may continue and no one waits for: checked files, paused imports, plans made to be looked at. */
import { Card, h } from '../../element.js';
import { ImportItem, SyncItem } from './needs.js';

/** @import { Overview } from '../../answers.d.ts' */

/** @param {{ ready: Overview['ready'] }} properties */
export function Ready({ ready: { imports, syncs } }) {
  return h(
    Card,
    { id: 'ready', title: 'Ready when you are' },
    h(
      'ul',
      { class: 'plain inbox' },
      imports.map((view) => h(ImportItem, { key: view.id, view })),
      syncs.map((sync) => h(SyncItem, { key: sync.id, sync })),
    ),
    h(
      'p',
      { class: 'note' },
      'All ',
      h('a', { href: '/imports?state=paused,staged' }, 'checked files and paused imports'),
      ', all ',
      h('a', { href: '/syncs?state=planned,held' }, 'plans'),
      '.',
    ),
  );
}
