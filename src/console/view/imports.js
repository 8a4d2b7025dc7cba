/** All imports, newest first, live; and the way to begin one. */
import { query, request } from '../api.js';
import { fill, foreign, h, perFrame, section } from '../element.js';
import { counted, duration, grouped, time } from '../format.js';
import { announce } from '../frame.js';
import { follow } from '../live.js';
import { errorNotice } from '../notice.js';
import { outcomeBar } from '../outcome-bar.js';
import { dataTable } from '../table.js';
import { fileName, inPlace, needAttention, STATE_GROUPS, STATE_TONES, settled } from '../words.js';
import { newImport } from './new-import.js';

/** @import { ImportsPage, ImportView, ListEvents } from '../answers.d.ts' */
/** @import { Place } from '../place.d.ts' */

const PAGE = 50;

/** @param {Place} place */
export function importsPage({ session, signal, go, query: initial }) {
  const list = importsList(initial.get('state') ?? '', signal, session.role === 'operator');
  return [
    h('h1', {}, 'Imports'),
    ...(session.role === 'operator' ? [newImport({ signal, go })] : []),
    section('all', 'All imports', list),
  ];
}

/** @type {import('../table.js').Column<ImportView>[]} */
const COLUMNS = [
  {
    label: 'File',
    kind: 'main',
    cell: (view) => [
      h('a', { href: `/imports/${encodeURIComponent(view.id)}` }, foreign(fileName(view.file))),
      view.sandbox && h('span', { class: 'tag' }, 'sandbox'),
      view.dryRun && h('span', { class: 'tag' }, 'dry run'),
      view.retryOf !== null && h('span', { class: 'tag' }, 'retry'),
    ],
  },
  { label: 'State', cell: ({ state }) => h('span', { class: `badge ${STATE_TONES[state]}` }, state) },
  { label: 'Progress', kind: 'wide', cell: progressOf },
  { label: 'Succeeded', kind: 'number', cell: ({ rows }) => grouped(inPlace(rows)) },
  {
    label: 'Need attention',
    kind: 'number',
    cell: ({ rows }) =>
      h('span', { class: needAttention(rows) > 0 ? 'attention' : 'soft' }, grouped(needAttention(rows))),
  },
  { label: 'Uploaded', cell: ({ createdAt }) => time(createdAt) },
  {
    label: 'Took',
    kind: 'number',
    cell: ({ startedAt, finishedAt }) =>
      startedAt !== null && finishedAt !== null ? duration(Date.parse(finishedAt) - Date.parse(startedAt)) : '–',
  },
];

/** @param {ImportView} view */
function progressOf(view) {
  const { rows, staging, finishedAt } = view;
  if (staging !== null) return h('span', { class: 'soft' }, `${counted(staging.rows, 'row')} read`);
  if (rows.read === 0) return h('span', { class: 'soft' }, '–');
  const bar = outcomeBar('Rows by outcome');
  bar.show(rows);
  const text =
    finishedAt === null ? `${grouped(settled(rows))} of ${counted(rows.read, 'row')}` : counted(rows.read, 'row');
  return h('div', { class: 'progress' }, bar.element, h('span', { class: 'soft' }, text));
}

/**
 * @param {string} states those to show, separated by commas; '' for all
 * @param {AbortSignal} signal
 * @param {boolean} mayUpload
 */
function importsList(states, signal, mayUpload) {
  const choice = h(
    'select',
    { id: 'states', onchange: () => void choose() },
    h('option', { value: '' }, 'all'),
    Object.entries(STATE_GROUPS).map(([name, members]) => h('option', { value: members.join(',') }, name)),
  );
  choice.value = states;
  const place = h('div', {}, h('p', { class: 'empty' }, 'Loading …'));
  const more = h('button', { type: 'button', onclick: () => void next(cursor) }, `Show ${PAGE} more`);
  const table = dataTable({ caption: 'Imports, newest first', columns: COLUMNS, key: ({ id }) => id });
  /** By id, newest first. @type {Map<string, ImportView>} */
  let imports = new Map();
  /** @type {string | null} */
  let cursor = null;
  let asked = 0;
  /** What events have told since the list was last asked for. @type {Map<string, ImportView>} */
  const told = new Map();

  const show = () => {
    const views = [...imports.values()];
    table.show(views);
    more.hidden = cursor === null;
    if (views.length > 0) fill(place, table.element);
    else fill(place, emptyList(choice.value !== '', mayUpload));
  };
  /** @param {string | null} after */
  const next = async (after) => {
    const own = ++asked;
    told.clear();
    try {
      /** @type {ImportsPage} */
      const page = await request(`/v1/imports${query({ state: choice.value, limit: PAGE, cursor: after })}`, {
        signal,
      });
      if (own !== asked) return;
      const known = after === null ? [] : [...imports];
      imports = new Map([...known, ...page.imports.map((view) => /** @type {const} */ ([view.id, view]))]);
      cursor = page.nextCursor;
      // What events have told in the meantime may be newer than the answer.
      for (const view of told.values()) merge(view);
      show();
    } catch (error) {
      if (!signal.aborted && imports.size === 0) fill(place, errorNotice(error));
    }
  };
  const choose = () => {
    history.replaceState(null, '', `${location.pathname}${query({ state: choice.value })}`);
    return next(null);
  };
  const showSoon = perFrame(show);
  /** @param {ImportView} view */
  const merge = (view) => {
    const before = imports.get(view.id);
    if (before !== undefined && before.state !== view.state) announce(`${fileName(view.file)}: ${view.state}`);
    const wanted = choice.value === '' || choice.value.split(',').includes(view.state);
    if (before !== undefined) {
      if (wanted) imports.set(view.id, view);
      else imports.delete(view.id);
    } else if (wanted && view.createdAt >= ([...imports.values()][0]?.createdAt ?? '')) {
      imports = new Map([[view.id, view], ...imports]);
    }
  };
  more.hidden = true;
  const begin = next(null);
  void begin.then(() => {
    if (signal.aborted) return;
    follow(
      '/v1/events',
      /** @type {{ [K in keyof ListEvents]: (data: ListEvents[K]) => void }} */ ({
        imports: ({ imports: changed }) => {
          for (const view of changed) {
            told.set(view.id, view);
            merge(view);
          }
          showSoon(undefined);
        },
        removed: ({ id }) => {
          imports.delete(id);
          showSoon(undefined);
        },
      }),
      { signal, onReturn: () => void next(null) },
    );
  });
  return h(
    'div',
    {},
    h('div', { class: 'filter' }, h('div', { class: 'field' }, h('label', { for: 'states' }, 'State'), choice)),
    place,
    more,
  );
}

/**
 * @param {boolean} filtered
 * @param {boolean} mayUpload
 */
function emptyList(filtered, mayUpload) {
  if (filtered) return h('p', { class: 'empty' }, 'No imports match this filter.');
  return h(
    'p',
    { class: 'empty' },
    mayUpload
      ? 'No imports yet. Choose a file above to start the first one.'
      : 'No imports yet. An operator can start one.',
  );
}
