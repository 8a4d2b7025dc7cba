/** All syncs, newest first; and the way to begin one. */
import { query, request } from '../api.js';
import { connection } from '../connection.js';
import { fill, foreign, h, section } from '../element.js';
import { time } from '../format.js';
import { errorNotice } from '../notice.js';
import { CHANGES, countsSentence, modeWords, SYNC_STATE_GROUPS, SYNC_TONES } from '../sync-words.js';
import { dataTable } from '../table.js';
import { fileName } from '../words.js';
import { newSync } from './new-sync.js';

/** @import { SyncEntry, SyncsPage } from '../sync-answers.d.ts' */
/** @import { Place } from '../place.d.ts' */

const PAGE = 50;
const ASK_EVERY_MS = 3000;

/** @param {Place} place */
export function syncsPage({ session, signal, go, query: initial }) {
  const isOperator = session.role === 'operator';
  return [
    h('h1', {}, 'Syncs'),
    h(
      'p',
      { class: 'lead' },
      'A sync makes groups match a file. It first makes a plan. Nothing is sent until you apply the plan, unless you choose to apply it at once.',
    ),
    ...(isOperator ? [newSync({ signal, go })] : []),
    section('all', 'All syncs', syncsList(initial.get('state') ?? '', signal, isOperator)),
  ];
}

/** @type {import('../table.js').Column<SyncEntry>[]} */
const COLUMNS = [
  {
    label: 'File',
    kind: 'main',
    cell: ({ id, file, undoOf, sandbox, schedule }) => [
      h('a', { href: `/syncs/${encodeURIComponent(id)}` }, foreign(fileName(file))),
      undoOf !== null && h('span', { class: 'tag' }, 'undo'),
      schedule !== null && h('span', { class: 'tag' }, foreign(schedule)),
      sandbox && h('span', { class: 'tag' }, 'sandbox'),
    ],
  },
  { label: 'State', cell: ({ state }) => h('span', { class: `badge ${SYNC_TONES[state]}` }, state) },
  {
    label: 'Plan',
    kind: 'wide',
    cell: ({ totals }) =>
      totals === null
        ? h('span', { class: 'soft' }, '–')
        : countsSentence(totals.actions, [...CHANGES, 'report']) || 'nothing to do',
  },
  { label: 'How', cell: (sync) => modeWords(sync) },
  { label: 'Started', cell: ({ createdAt }) => time(createdAt) },
];

/**
 * Asked for anew while the page is looked at.
 * @param {string} states those to show, separated by commas; '' for all
 * @param {AbortSignal} signal
 * @param {boolean} mayUpload
 */
function syncsList(states, signal, mayUpload) {
  const choice = h(
    'select',
    { id: 'states', onchange: () => void choose() },
    h('option', { value: '' }, 'all'),
    Object.entries(SYNC_STATE_GROUPS).map(([name, members]) => h('option', { value: members.join(',') }, name)),
  );
  choice.value = states;
  const place = h('div', {}, h('p', { class: 'empty' }, 'Loading …'));
  const more = h('button', { type: 'button', hidden: true, onclick: () => void load(PAGE) }, `Show ${PAGE} more`);
  const table = dataTable({ caption: 'Syncs, newest first', columns: COLUMNS, key: ({ id }) => id });
  let wanted = PAGE;
  let asked = 0;

  /** @param {number} further entries besides those that are shown */
  const load = async (further) => {
    const own = ++asked;
    wanted += further;
    try {
      /** @type {SyncEntry[]} */
      const syncs = [];
      /** @type {string | null} */
      let cursor = null;
      do {
        const limit = Math.min(200, wanted - syncs.length);
        /** @type {SyncsPage} */
        const page = await request(`/v1/syncs${query({ state: choice.value, limit, cursor })}`, { signal });
        syncs.push(...page.syncs);
        cursor = page.nextCursor;
      } while (cursor !== null && syncs.length < wanted);
      if (own !== asked) return;
      table.show(syncs);
      more.hidden = cursor === null;
      if (syncs.length > 0) fill(place, table.element);
      else fill(place, h('p', { class: 'empty' }, emptyText(choice.value !== '', mayUpload)));
    } catch (error) {
      if (!signal.aborted && !connection.away && own === asked) fill(place, errorNotice(error));
    }
  };
  const choose = () => {
    history.replaceState(null, '', `${location.pathname}${query({ state: choice.value })}`);
    wanted = PAGE;
    return load(0);
  };
  const again = async () => {
    if (!document.hidden && !connection.away) await load(0);
    if (!signal.aborted) timer = setTimeout(() => void again(), ASK_EVERY_MS);
  };
  /** @type {number | undefined} */
  let timer;
  signal.addEventListener('abort', () => clearTimeout(timer));
  void again();
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
function emptyText(filtered, mayUpload) {
  if (filtered) return 'No syncs match this filter.';
  return mayUpload
    ? 'No syncs yet. Choose a file above to plan the first one.'
    : 'No syncs yet. An operator can start one.';
}
