/** The rows of an import: filtered, a page at a time. */
import { ApiError, importPath, query, request } from '../../api.js';
import { fill, foreign, h } from '../../element.js';
import { counted, grouped, time } from '../../format.js';
import { errorNotice } from '../../notice.js';
import { outcomeMark } from '../../outcome-bar.js';
import { dataTable } from '../../table.js';
import { rowFilter } from './row-filter.js';

/** @import { RowView, RowsPage } from '../../answers.d.ts' */

const PAGE = 100;
/** Rows on the page at the same time: the earliest make room. */
const MOST_ROWS = 500;

/** @type {import('../../table.js').Column<RowView>[]} */
const COLUMNS = [
  { label: 'Row', kind: 'number', cell: ({ line }) => grouped(line) },
  {
    label: 'UID',
    kind: 'main',
    cell: ({ uid }) =>
      uid === ''
        ? h('span', { class: 'soft' }, '–')
        : h('a', { href: `/members/${encodeURIComponent(uid)}` }, foreign(uid)),
  },
  { label: 'Group', cell: ({ guid }) => foreign(guid) },
  { label: 'Region', cell: ({ region }) => region },
  { label: 'Scope', cell: ({ scope }) => scope },
  { label: 'Outcome', cell: ({ status }) => outcomeMark(status) },
  {
    label: 'Message',
    kind: 'wide',
    cell: (row) => [
      row.code !== '' && h('code', {}, row.code),
      row.code !== '' && ' ',
      row.message !== '' && foreign(row.message),
    ],
  },
  {
    label: 'Details',
    cell: (row) => h('details', {}, h('summary', {}, 'More'), h('dl', { class: 'pairs' }, detailsOf(row))),
  },
];

/**
 * @param {object} options
 * @param {string} options.id
 * @param {URLSearchParams} options.query the filter to begin with
 * @param {AbortSignal} options.signal
 */
export function importRows({ id, query: initial, signal }) {
  const table = dataTable({ caption: 'Rows of the file with their outcomes', columns: COLUMNS, key: ({ row }) => row });
  const status = h('p', { class: 'note', role: 'status' });
  const place = h('div', {});
  const more = h('button', { type: 'button', onclick: () => void load(false) }, `Show ${PAGE} more`);
  const again = h('button', { type: 'button', class: 'quiet', onclick: () => void load(true) }, 'Back to the start');
  const filter = rowFilter(initial, () => void choose());
  const element = h('div', {}, filter.element, status, place, h('div', { class: 'buttons' }, more, again));
  /** @type {RowView[]} */
  let rows = [];
  /** @type {string | null} */
  let cursor = null;
  let pages = 0;
  let dropped = false;
  let asked = 0;
  let over = false;

  /** @param {boolean} fromStart */
  const load = async (fromStart) => {
    const own = ++asked;
    try {
      const after = fromStart ? null : cursor;
      /** @type {RowsPage} */
      const page = await request(importPath(id, `/rows${query({ ...filter.values(), limit: PAGE, cursor: after })}`), {
        signal,
      });
      // A later question is under way: its answer counts.
      if (own !== asked) return;
      pages = fromStart ? 1 : pages + 1;
      const all = fromStart ? page.rows : [...rows, ...page.rows];
      dropped = !fromStart && (dropped || all.length > MOST_ROWS);
      rows = all.slice(-MOST_ROWS);
      cursor = page.nextCursor;
      show();
    } catch (error) {
      if (signal.aborted || own !== asked) return;
      // The banner says it; what is shown stays until the server is back.
      if (error instanceof ApiError && error.code === 'AWAY' && rows.length > 0) return;
      fill(place, errorNotice(error));
    }
  };
  const show = () => {
    // Of what is not sent, an import that goes on says that it is to come.
    table.show(over ? rows : rows.map((row) => (row.status === 'unprocessed' ? { ...row, status: null } : row)));
    more.hidden = cursor === null;
    again.hidden = !dropped;
    if (rows.length === 0) {
      fill(place, h('p', { class: 'empty' }, filter.isSet() ? 'No row fits this filter.' : 'No rows yet.'));
      fill(status);
      return;
    }
    if (place.firstElementChild !== table.element) fill(place, table.element);
    fill(
      status,
      `${counted(rows.length, 'row')} shown${dropped ? ', earlier ones are hidden' : ''}${cursor === null ? '' : '; there are more'}.`,
    );
  };
  const choose = () => {
    history.replaceState(null, '', `${location.pathname}${query(filter.values())}`);
    return load(true);
  };
  more.hidden = true;
  again.hidden = true;

  return {
    element,
    /**
     * Reads the first page again, unless someone has gone further.
     * @param {boolean} isOver whether the import is
     */
    refresh: async (isOver) => {
      over = isOver;
      if (pages < 2) await load(true);
      else show();
    },
    /** The codes that can be filtered for. @param {readonly string[]} codes */
    offerCodes: (codes) => filter.offerCodes(codes),
    /** Filters for this alone. @param {Readonly<Record<string, string>>} values */
    filterFor: (values) => {
      filter.set(values);
      return choose();
    },
  };
}

/** @param {RowView} row */
function detailsOf(row) {
  /** @type {[string, import('../../element.js').Child][]} */
  const pairs = [
    ['Attempts', grouped(row.attempts)],
    ['HTTP status', row.httpStatus],
    ['Call', row.batch],
    ['Finished', row.finishedAt !== null && time(row.finishedAt, { seconds: true })],
  ];
  const original =
    typeof row.original === 'object' && row.original !== null && !Array.isArray(row.original)
      ? Object.entries(row.original)
      : [['input', row.original]];
  for (const [column, value] of original)
    pairs.push([String(column), foreign(typeof value === 'string' ? value : JSON.stringify(value))]);
  return pairs.flatMap(([name, value]) =>
    value === null || value === false ? [] : [h('div', {}, h('dt', {}, foreign(name)), h('dd', {}, value))],
  );
}
