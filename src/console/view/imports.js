import { useEffect, useRef } from 'preact/hooks';
import { Badge, Card, foreign, h, importHref, Tag } from '../element.js';
import { counted, duration, grouped } from '../format.js';
import { announce } from '../frame.js';
import { follow } from '../live.js';
import { OutcomeBar } from '../outcome-bar.js';
import { usePlace } from '../place.js';
import { Time } from '../time.js';
import {
  fileName,
  inPlace,
  isDryRun,
  isOfSync,
  isUndone,
  needAttention,
  STATE_GROUPS,
  settled,
  stateLabel,
  stateTone,
} from '../words.js';
import { useFilteredList } from './filtered-list.js';
import { NewImport } from './new-import.js';

/** @import { ImportView, ListEvents } from '../answers.d.ts' */

export function ImportsPage() {
  const { isOperator } = usePlace();
  return [
    h('h1', null, 'Imports'),
    isOperator && h(NewImport, {}),
    h(Card, { id: 'all', title: 'All imports' }, h(ImportsList, {})),
  ];
}

/** @type {import('../form.js').Choice[]} */
const STATES = [
  ['', 'all'],
  ...Object.entries(STATE_GROUPS).map(([name, states]) => /** @type {const} */ ([states.join(','), name])),
];

/** @type {import('../table.js').Column<ImportView>[]} */
const COLUMNS = [
  {
    label: 'File',
    kind: 'main',
    cell: (view) => [
      h('a', { href: importHref(view.id) }, foreign(fileName(view.file))),
      view.sandbox && h(Tag, {}, 'sandbox'),
      isDryRun(view) && h(Tag, {}, 'dry run'),
      view.retryOf !== null && h(Tag, {}, 'retry'),
      isOfSync(view) && h(Tag, {}, view.id.startsWith('undo-') ? 'undo' : 'sync'),
      view.followUps.some(isUndone) && h(Tag, {}, 'undone'),
    ],
  },
  { label: 'State', cell: (view) => h(Badge, { tone: stateTone(view) }, stateLabel(view)) },
  { label: 'Progress', kind: 'wide', cell: progressOf },
  { label: 'Succeeded', kind: 'number', cell: ({ rows }) => grouped(inPlace(rows)) },
  {
    label: 'Need attention',
    kind: 'number',
    cell: ({ rows }) =>
      h('span', { class: needAttention(rows) > 0 ? 'attention' : 'soft' }, grouped(needAttention(rows))),
  },
  { label: 'Created', cell: ({ createdAt }) => h(Time, { iso: createdAt }) },
  {
    label: 'Took',
    kind: 'number',
    cell: ({ startedAt, finishedAt }) =>
      startedAt !== null && finishedAt !== null ? duration(Date.parse(finishedAt) - Date.parse(startedAt)) : '–',
  },
];

/** @param {ImportView} view */
function progressOf({ rows, staging, finishedAt }) {
  if (staging !== null) return h('span', { class: 'soft' }, `${counted(staging.rows, 'row')} read`);
  if (rows.read === 0) return h('span', { class: 'soft' }, '–');
  const text =
    finishedAt === null ? `${grouped(settled(rows))} of ${counted(rows.read, 'row')}` : counted(rows.read, 'row');
  return h(
    'div',
    { class: 'progress' },
    h(OutcomeBar, { name: 'Rows by outcome', rows }),
    h('span', { class: 'soft' }, text),
  );
}

function ImportsList() {
  return useFilteredList({
    path: '/v1/imports',
    name: 'imports',
    choices: STATES,
    caption: 'Imports, newest first',
    columns: COLUMNS,
    emptyText,
    useNews: useListEvents,
  });
}

/**
 * Keeps the list up to date by events.
 * @param {import('../answer.js').Pages<ImportView>} pages
 * @param {string} states those that are shown, separated by commas; '' for all
 */
function useListEvents(pages, states) {
  const latest = useRef({ pages, states });
  latest.current = { pages, states };
  const isThere = pages.items !== undefined;
  useEffect(() => {
    if (!isThere) return;
    const leaving = new AbortController();
    /** @type {{ [K in keyof ListEvents]: (data: ListEvents[K]) => void }} */
    const handlers = {
      imports: ({ imports }) =>
        latest.current.pages.edit((items) =>
          imports.reduce((all, view) => merged(all, view, latest.current.states), items),
        ),
      removed: ({ id }) => latest.current.pages.edit((items) => items.filter((view) => view.id !== id)),
    };
    follow('/v1/events', handlers, {
      signal: leaving.signal,
      onReturn: () => void latest.current.pages.refresh(),
    });
    return () => leaving.abort();
  }, [isThere]);
}

/**
 * @param {readonly ImportView[]} items
 * @param {ImportView} view
 * @param {string} states
 */
function merged(items, view, states) {
  const before = items.find(({ id }) => id === view.id);
  if (before !== undefined && before.state !== view.state) announce(`${fileName(view.file)}: ${stateLabel(view)}`);
  const isWanted = states === '' || states.split(',').includes(view.state);
  if (before !== undefined) {
    return isWanted ? items.map((one) => (one === before ? view : one)) : items.filter((one) => one !== before);
  }
  return isWanted && view.createdAt >= (items[0]?.createdAt ?? '') ? [view, ...items] : items;
}

/**
 * @param {boolean} isFiltered
 * @param {boolean} mayUpload
 */
function emptyText(isFiltered, mayUpload) {
  if (isFiltered) return 'No imports match this filter.';
  return mayUpload
    ? 'No imports yet. Choose a file above to start the first one.'
    : 'No imports yet. An operator can start one.';
}
