/** The first rows of a file, as rollcall reads them. */
import { foreign, foreignOrDash, h } from '../../element.js';
import { focusField } from '../../form.js';
import { counted, grouped } from '../../format.js';
import { isNarrow } from '../../narrow.js';
import { ErrorPlace } from '../../notice.js';
import { dataTable } from '../../table.js';
import { columnLabel } from '../../words.js';

/** @import { Preview, PreviewRow } from '../../answers.d.ts' */
/** @import { ShownFile } from './preview.js' */

/** Enough to see whether the columns are right, few enough to keep the button in sight. */
const ROWS_SHOWN = 8;
const ROWS_ON_PHONE = 3;

/** @type {Readonly<Record<string, string>>} */
const DELIMITER_NAMES = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'pipe' };

/** @type {Readonly<Record<string, string>>} */
const KIND_NAMES = {
  ...{ csv: 'CSV', json: 'JSON', ndjson: 'NDJSON', yaml: 'YAML', ldif: 'LDIF' },
  ...{ xlsx: 'Excel workbook', ods: 'OpenDocument sheet' },
};

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
            problems.map(({ column, reason }, index) =>
              h('li', { key: index }, column !== '' && [foreign(columnLabel(column)), ': '], foreign(reason)),
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

/** @param {{ preview: ShownFile }} properties */
export function FirstRows({ preview }) {
  const found = preview.found.value;
  const identities = preview.identities.value;
  const rows = found?.rows.slice(0, isNarrow() ? ROWS_ON_PHONE : ROWS_SHOWN) ?? [];
  const uid = preview.columnOf('uid');
  return h(
    'div',
    { class: 'preview' },
    h('h3', null, 'As rollcall reads it'),
    h(
      'p',
      { class: 'note', role: 'status' },
      preview.isTooLarge.value
        ? 'This workbook or archive is too large for a preview (4 MB). Its columns can be recognised by name only: check the file before you start.'
        : preview.isRefused.value
          ? 'The file cannot be read with these options.'
          : found !== undefined && summary(found, rows),
    ),
    identities !== undefined &&
      h('p', { class: 'note' }, 'UIDs are looked up in ', foreign(identities.name), ' when the file is read.'),
    h(ErrorPlace, { error: preview.error.value }),
    found !== undefined &&
      found.notes.length > 0 &&
      h(
        'ul',
        { class: 'file-notes' },
        found.notes.map(({ code, text }) =>
          h(
            'li',
            { key: code },
            foreign(text),
            code === 'SHEET_CHOSEN' && [
              ' ',
              h(
                'button',
                { type: 'button', class: 'quiet', onClick: () => focusField('sheet') },
                'Choose another sheet',
              ),
            ],
          ),
        ),
      ),
    rows.length > 0 &&
      dataTable({
        caption: 'The first rows, as rollcall reads them',
        columns: COLUMNS,
        items: identities === undefined ? rows : rows.map((row) => withoutKeyProblems(row, uid)),
        keyOf: (_, index) => index,
        rowClass: ({ problems, skipped }) => (skipped ? 'left-out' : problems.length > 0 ? 'wrong' : ''),
      }),
  );
}

/** What is no UID is a key, and is looked up. @param {PreviewRow} row @param {string} column */
function withoutKeyProblems(row, column) {
  return { ...row, problems: row.problems.filter((problem) => column === '' || problem.column !== column) };
}

/** @param {Preview} preview @param {readonly PreviewRow[]} rows */
function summary({ format, kind, encoding, delimiter }, rows) {
  const isText = kind !== 'xlsx' && kind !== 'ods';
  const noun = rows.some(({ value }) => value !== undefined && value !== '') ? 'membership' : 'row';
  const by = !isText || delimiter === null ? '' : `, delimiter ${DELIMITER_NAMES[delimiter] ?? delimiter}`;
  const name = isText ? `${KIND_NAMES[kind] ?? format.toUpperCase()}, ${encoding}` : (KIND_NAMES[kind] ?? kind);
  return `${name}${by}. ${rows.length === 1 ? `The first ${noun}` : `The first ${counted(rows.length, noun)}`}:`;
}
