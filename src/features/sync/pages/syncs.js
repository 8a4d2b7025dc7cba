import { Badge, Card, foreign, h, syncHref, Tag } from '../../../console/element.js';
import { settings } from '../../../console/frame.js';
import { useListNews } from '../../../console/overview.js';
import { usePlace } from '../../../console/place.js';
import {
  CHANGES,
  countsSentence,
  modeWords,
  SYNC_STATE_GROUPS,
  SYNC_TONES,
  titleOf,
} from '../../../console/sync-words.js';
import { Time } from '../../../console/time.js';
import { useFilteredList } from '../../../console/view/filtered-list.js';
import { NewSync } from './new-sync.js';

/** @import { SyncEntry } from '../../../console/sync-answers.d.ts' */

export function SyncsPage() {
  const { isOperator } = usePlace();
  return [
    h('h1', null, 'Syncs'),
    h(
      'p',
      { class: 'lead' },
      'A sync makes groups match a file. It first makes a plan. Nothing is sent until you apply the plan, unless you choose to apply it at once.',
    ),
    isOperator && h(NewSync, {}),
    h(
      Card,
      { id: 'all', title: 'All syncs' },
      h('p', null, h('a', { href: '/syncs/compare' }, 'Compare two syncs')),
      h(SyncsList, {}),
    ),
  ];
}

/** @type {import('../../../console/form.js').Choice[]} */
const STATES = [
  ['', 'all'],
  ...Object.entries(SYNC_STATE_GROUPS).map(([name, states]) => /** @type {const} */ ([states.join(','), name])),
];

/**
 * @param {readonly SyncEntry[]} syncs the newest first: an undo is among them where what it undid is
 * @returns {import('../../../console/table.js').Column<SyncEntry>[]}
 */
const columnsOf = (syncs) => [
  {
    label: 'File',
    kind: 'main',
    cell: ({ id, file, undoOf, importId, sandbox, schedule }) => [
      h('a', { href: syncHref(id) }, foreign(titleOf({ file, undoOf }))),
      schedule !== null && h(Tag, {}, foreign(schedule)),
      importId !== null &&
        syncs.some((one) => one.undoOf === importId && one.state === 'applied') &&
        h(Tag, {}, 'undone'),
      sandbox && settings.value?.sandbox !== true && h(Tag, {}, 'sandbox'),
    ],
  },
  { label: 'State', cell: ({ state }) => h(Badge, { tone: SYNC_TONES[state] }, state) },
  {
    label: 'Plan',
    kind: 'wide',
    cell: ({ totals }) =>
      totals === null
        ? h('span', { class: 'soft' }, '–')
        : countsSentence(totals.actions, [...CHANGES, 'report']) || 'nothing to do',
  },
  { label: 'How', cell: (sync) => modeWords(sync) },
  { label: 'Started', cell: ({ createdAt }) => h(Time, { iso: createdAt }) },
];

function SyncsList() {
  return useFilteredList({
    path: '/v1/syncs',
    name: 'syncs',
    choices: STATES,
    caption: 'Syncs, newest first',
    columns: columnsOf,
    emptyText,
    useNews: (pages) => useListNews(['sync', 'removed'], pages.follow),
  });
}

/**
 * @param {boolean} isFiltered
 * @param {boolean} mayUpload
 */
function emptyText(isFiltered, mayUpload) {
  if (isFiltered) return 'No syncs match this filter.';
  return mayUpload
    ? 'No syncs yet. Choose a file above to plan the first one.'
    : 'No syncs yet. An operator can start one.';
}
