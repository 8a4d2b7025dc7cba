/** The first rows of a file, as rollcall reads them. */
import { foreign, foreignOrDash, h } from '../../element.js';
import { counted, grouped } from '../../format.js';
import { ErrorPlace } from '../../notice.js';
import { dataTable } from '../../table.js';

/** @import { Preview, PreviewRow } from '../../answers.d.ts' */
/** @import { FilePreview } from './preview.js' */

/** Enough to see whether the columns are right, few enough to keep the button in sight. */
const ROWS_SHOWN = 8;

/** @type {Readonly<Record<string, string>>} */
const DELIMITER_NAMES = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'pipe' };

/** @type {import('../../table.js').Column<PreviewRow>[]} */
const COLUMNS = [
  { label: 'Row', kind: 'number', cell: ({ line }) => grouped(line) },
  { label: 'UID', kind: 'main', cell: ({ uid }) => foreignOrDash(uid) },
  { label: 'Group', cell: ({ guid }) => foreignOrDash(guid) },
  { label: 'Scope', cell: (row) => foreignOrDash(refused(row, 'UNKNOWN_SCOPE') ?? row.scope) },
  { label: 'Region', cell: (row) => foreignOrDash(refused(row, 'UNKNOWN_REGION') ?? row.region) },
  {
    label: 'Problems',
    kind: 'wide',
    cell: ({ problems }) =>
      problems.length === 0
        ? h('span', { class: 'soft' }, 'none')
        : h(
            'ul',
            { class: 'plain' },
            problems.map(({ column, value, reason }, index) =>
              h(
                'li',
                { key: index },
                foreign(column),
                column !== '' && ' ',
                value !== '' && [h('code', null, foreign(value)), ' '],
                foreign(reason),
              ),
            ),
          ),
  },
];

/**
 * What the row says where that cannot be used; the row itself has a default then, with which it will not be sent.
 * @param {PreviewRow} row
 * @param {string} code
 */
function refused({ problems }, code) {
  return problems.find((problem) => problem.code === code)?.value;
}

/** @param {{ preview: FilePreview }} properties */
export function FirstRows({ preview }) {
  const found = preview.found.value;
  const rows = found?.rows.slice(0, ROWS_SHOWN) ?? [];
  return h(
    'div',
    { class: 'preview' },
    h('h3', null, 'First rows'),
    h(
      'p',
      { class: 'note', role: 'status' },
      preview.isRefused.value
        ? 'The file cannot be read with these options.'
        : found !== undefined && summary(found, rows),
    ),
    h(ErrorPlace, { error: preview.error.value }),
    rows.length > 0 &&
      dataTable({
        caption: 'The first rows, as rollcall reads them',
        columns: COLUMNS,
        items: rows,
        keyOf: (_, index) => index,
        rowClass: ({ problems }) => (problems.length > 0 ? 'wrong' : ''),
      }),
  );
}

/** @param {Preview} preview @param {readonly PreviewRow[]} rows */
function summary({ format, encoding, delimiter }, rows) {
  const by = delimiter === null ? '' : `, delimiter ${DELIMITER_NAMES[delimiter] ?? delimiter}`;
  const them = rows.length === 1 ? 'it' : 'them';
  return `${format.toUpperCase()}, ${encoding}${by}. The first ${counted(rows.length, 'row')}, as rollcall reads ${them}:`;
}
