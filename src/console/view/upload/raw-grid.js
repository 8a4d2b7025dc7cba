/** The first rows of a file as they stand in it, with what each column is read as. */
import { foreign, h } from '../../element.js';
import { columnLabel, FIELDS } from '../../words.js';

/** @import { Preview } from '../../answers.d.ts' */
/** @import { ShownFile } from './preview.js' */

const ROWS_SHOWN = 8;
/** A wide table has hundreds that are alike. */
const MOST_COLUMNS = 30;

/** @param {{ preview: ShownFile }} properties */
export function RawGrid({ preview }) {
  const found = preview.found.value;
  const lines = preview.facts.value?.firstLines ?? [];
  if (found === undefined && lines.length === 0) return null;
  return h(
    'div',
    { class: 'preview' },
    h('h3', { id: 'raw' }, 'Your file'),
    found === undefined || found.columns.length === 0
      ? h('pre', { class: 'grid', tabIndex: 0, role: 'region', 'aria-labelledby': 'raw' }, foreign(lines.join('\n')))
      : h(Grid, { found, preview }),
  );
}

/** @param {{ found: Preview, preview: ShownFile }} properties */
function Grid({ found, preview }) {
  const columns = found.columns.slice(0, MOST_COLUMNS);
  const more = found.columns.length - columns.length;
  return [
    h(
      'p',
      { class: 'note' },
      more > 0 ? `As it is, with the first ${MOST_COLUMNS} of ${found.columns.length} columns:` : 'As it is:',
    ),
    h(
      'div',
      { class: 'grid', tabIndex: 0, role: 'region', 'aria-labelledby': 'raw' },
      h(
        'table',
        null,
        h('caption', { class: 'unseen' }, 'The file as it is'),
        h(
          'thead',
          null,
          h(
            'tr',
            null,
            h('th', { scope: 'col', class: 'number' }, 'Row'),
            columns.map((column) =>
              h('th', { key: column, scope: 'col' }, foreign(columnLabel(column)), h(ReadAs, { column, preview })),
            ),
          ),
        ),
        h(
          'tbody',
          null,
          rowsOf(found).map(({ line, original }) =>
            h(
              'tr',
              { key: line },
              h('th', { scope: 'row', class: 'number' }, line),
              columns.map((column) => h('td', { key: column }, foreign(textOf(original[column])))),
            ),
          ),
        ),
      ),
    ),
  ];
}

/** @param {{ column: string, preview: ShownFile }} properties */
function ReadAs({ column, preview }) {
  const names = FIELDS.filter(([field]) => preview.columnOf(field) === column).map(([, label]) => label);
  return names.length === 0
    ? h('span', { class: 'read-as none' }, 'not used')
    : h('span', { class: 'read-as' }, names.join(', '));
}

/** A row that gives several memberships is shown once. @param {Preview} found */
function rowsOf({ rows }) {
  const seen = new Map(rows.map(({ line, original }) => [line, original]));
  return [...seen].slice(0, ROWS_SHOWN).map(([line, original]) => ({ line, original }));
}

/** @param {unknown} value */
function textOf(value) {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
