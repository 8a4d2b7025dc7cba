/** The rows of an import: filtered, a page at a time. */
import { useEffect, useMemo } from 'preact/hooks';
import { useEvery, usePages } from '../../answer.js';
import { importPath, query } from '../../api.js';
import { Empty, Facts, foreign, h, memberHref } from '../../element.js';
import { counted, grouped } from '../../format.js';
import { ErrorNotice } from '../../notice.js';
import { OutcomeMark } from '../../outcome-bar.js';
import { dataTable } from '../../table.js';
import { Time } from '../../time.js';

/** @import { RowView } from '../../answers.d.ts' */
/** @import { LiveImport } from './live-import.js' */
/** @import { RowsWanted } from './rows-wanted.js' */

const PAGE = 100;
/** Rows on the page at the same time: the earliest make room. */
const MOST_ROWS = 500;
/** While the import runs, the rows that are shown are asked for again so often. */
const EVERY_MS = 5000;

/** @type {import('../../table.js').Column<RowView>[]} */
const COLUMNS = [
  { label: 'Row', kind: 'number', cell: ({ line }) => grouped(line) },
  {
    label: 'UID',
    kind: 'main',
    cell: ({ uid }) =>
      uid === '' ? h('span', { class: 'soft' }, '–') : h('a', { href: memberHref(uid) }, foreign(uid)),
  },
  { label: 'Group', cell: ({ guid }) => foreign(guid) },
  { label: 'Region', cell: ({ region }) => region },
  { label: 'Scope', cell: ({ scope }) => scope },
  { label: 'Outcome', cell: ({ status, scope }) => h(OutcomeMark, { outcome: status, scope }) },
  {
    label: 'Message',
    kind: 'wide',
    cell: ({ code, message }) => [code !== '' && h('code', null, code), code !== '' && ' ', foreign(message)],
  },
  {
    label: 'Details',
    cell: (row) => h('details', null, h('summary', null, 'More'), h(Facts, { class: 'pairs', list: detailsOf(row) })),
  },
];

/** @param {{ id: string, live: LiveImport, filter: RowsWanted }} properties */
export function ImportRows({ id, live, filter }) {
  const path = importPath(id, `/rows${query(filter.wanted.value)}`);
  /** @type {import('../../answer.js').Pages<RowView>} */
  const pages = usePages(path, { name: 'rows', limit: PAGE, most: MOST_ROWS });
  const { items, hasMore, dropped, error } = pages;
  const turns = live.turns.value;
  const over = live.over.value;
  useEffect(() => {
    if (items !== undefined) void pages.refresh();
  }, [turns]);
  // Those that are shown get their outcomes while the import runs. Rows that have made room are not fetched again.
  useEvery(() => void pages.refresh(), over || dropped ? undefined : EVERY_MS);
  // Of what is not sent, an import that goes on says that it is to come.
  const shown = useMemo(
    () => (over ? items : items?.map((row) => (row.status === 'unprocessed' ? { ...row, status: null } : row))),
    [items, over],
  );
  if (error !== undefined) return h(ErrorNotice, { error });
  if (shown === undefined) return h(Empty, {}, 'Loading …');
  return h(
    'div',
    null,
    h('p', { class: 'note', role: 'status' }, shown.length > 0 && shownSentence(shown.length, { hasMore, dropped })),
    shown.length === 0
      ? h(Empty, {}, filter.isSet ? 'No row fits this filter.' : 'No rows yet.')
      : dataTable({
          caption: 'Rows of the file with their outcomes',
          columns: COLUMNS,
          items: shown,
          keyOf: ({ row }) => row,
        }),
    h(
      'div',
      { class: 'buttons' },
      hasMore && h('button', { type: 'button', onClick: () => void pages.more() }, `Show ${PAGE} more`),
      dropped &&
        h('button', { type: 'button', class: 'quiet', onClick: () => void pages.restart() }, 'Back to the start'),
    ),
  );
}

/** @param {number} count @param {{ hasMore: boolean, dropped: boolean }} of */
function shownSentence(count, { hasMore, dropped }) {
  return `${counted(count, 'row')} shown${dropped ? ', earlier ones are hidden' : ''}${hasMore ? '; there are more' : ''}.`;
}

/**
 * @param {RowView} row
 * @returns {(readonly [string, import('preact').ComponentChildren])[]}
 */
function detailsOf(row) {
  const original =
    typeof row.original === 'object' && row.original !== null && !Array.isArray(row.original)
      ? Object.entries(row.original)
      : [['input', row.original]];
  return [
    ['Attempts', grouped(row.attempts)],
    ['HTTP status', row.httpStatus],
    ['Call', row.batch],
    ['Finished', row.finishedAt !== null && h(Time, { iso: row.finishedAt, seconds: true })],
    ...original.map(
      ([column, value]) =>
        /** @type {const} */ ([
          String(column),
          foreign(typeof value === 'string' ? value : JSON.stringify(value)) ?? '',
        ]),
    ),
  ];
}
