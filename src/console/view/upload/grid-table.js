/** The table of a file's first rows, with a choice above each column and what is wrong below each cell. */
import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { foreign, h } from '../../element.js';
import { optionsOf } from '../../form.js';
import { counted } from '../../format.js';
import { columnLabel, FIELDS } from '../../words.js';
import { choosable, chosenFor, otherUse, usesOf } from './column-use.js';
import { Ways } from './suggestions.js';

/** @import { Preview, PreviewRow } from '../../answers.d.ts' */
/** @import { Form } from '../../form.js' */
/** @import { GridRow } from './grid-rows.js' */
/** @import { ShownFile } from './preview.js' */
/** @import { Suggestion } from './suggestions.js' */

/** A wide table has hundreds of columns that are alike. */
const MAX_COLUMNS = 30;

/** @param {{ found: Preview, rows: readonly GridRow[], preview: ShownFile, form: Form, suggestions: readonly Suggestion[] }} properties */
export function GridTable({ found, rows, preview, form, suggestions }) {
  const isWhole = useSignal(false);
  const values = form.values.value;
  const columns = found.columns
    .map((column, index) => {
      const uses = usesOf(column, preview, values);
      return { column, index, uses, suggested: suggestions.filter((one) => one.column === column) };
    })
    .filter(({ index, uses, suggested }) => isWhole.value || index < MAX_COLUMNS || uses.length + suggested.length > 0);
  /** The column at which each field is chosen, or could be. @param {string} field */
  const placeOf = (field) =>
    (
      columns.find(({ uses }) => uses.some((use) => use === field)) ??
      columns.find(({ suggested }) => suggested.some(({ key }) => key === field)) ??
      columns.find(({ uses }) => uses.length === 0) ??
      columns[0]
    )?.index;
  const places = FIELDS.map(([field]) => /** @type {const} */ ([field, placeOf(field)]));
  useLayoutEffect(() => {
    for (const [field, index] of places) form.register(`map-${field}`, document.getElementById(`use-${index}`));
    return () => {
      for (const [field] of places) form.register(`map-${field}`, null);
    };
  });
  const [next] = found.missing;
  const isRead = found.missing.length === 0;
  return [
    h(
      'div',
      { key: 'grid', class: 'grid' },
      h(
        'table',
        null,
        h('caption', { class: 'unseen' }, 'The first rows of the file'),
        h(
          'thead',
          null,
          h(
            'tr',
            null,
            h('th', { scope: 'col', class: 'number' }, 'Row'),
            columns.map(({ column }) => h('th', { key: column, scope: 'col' }, foreign(columnLabel(column)))),
            isRead && h('th', { scope: 'col', class: 'read-as' }, 'Read as'),
          ),
          h(
            'tr',
            { class: 'uses' },
            h('td', null),
            columns.map(({ column, index, uses, suggested }) =>
              h(ColumnUse, {
                key: column,
                ...{ column, index, uses, suggested, preview, form },
                fields: places.flatMap(([field, place]) => (place === index ? [field] : [])),
                isNext: places.some(([field, place]) => field === next && place === index),
              }),
            ),
            isRead && h('td', { class: 'read-as' }),
          ),
        ),
        h(
          'tbody',
          null,
          rows.map((row) =>
            h(Row, { key: row.line, row, columns: columns.map(({ column }) => column), isRead, preview }),
          ),
        ),
      ),
    ),
    columns.length < found.columns.length &&
      h(
        'p',
        { key: 'more', class: 'note' },
        `${counted(found.columns.length - columns.length, 'more column')} not shown. `,
        h('button', { type: 'button', class: 'link', onClick: () => (isWhole.value = true) }, 'Show all columns'),
      ),
  ];
}

/**
 * What a column is used for, and what it could be.
 * @param {object} properties
 * @param {string} properties.column
 * @param {number} properties.index
 * @param {readonly string[]} properties.uses
 * @param {readonly Suggestion[]} properties.suggested
 * @param {readonly string[]} properties.fields whose errors stand for this place
 * @param {boolean} properties.isNext to be decided first
 * @param {ShownFile} properties.preview
 * @param {Form} properties.form
 */
function ColumnUse({ column, index, uses, suggested, fields, isNext, preview, form }) {
  const values = form.values.value;
  const wrong = fields.filter((field) => (form.errors.value[`map-${field}`] ?? '') !== '');
  const own = uses.join(' ');
  const labels = choosable(values);
  const both = labels.filter(([field]) => uses.includes(field)).map(([, label]) => label);
  return h(
    'td',
    { class: uses.length === 0 ? '' : 'used' },
    h(
      'select',
      {
        id: `use-${index}`,
        'aria-label': `Use of column “${columnLabel(column)}”`,
        'aria-invalid': wrong.length > 0 ? true : undefined,
        'aria-describedby': [
          ...wrong.map((field) => `new-map-${field}-error`),
          ...suggested.map(({ key }) => `suggested-${key}`),
        ].join(' '),
        'data-next': isNext ? '' : undefined,
        value: own,
        onChange: ({ currentTarget }) => preview.chooseAll(chosenFor(column, currentTarget.value.split(' '), preview)),
      },
      optionsOf([
        ['', otherUse(column, values) || 'not used'],
        ...labels,
        // A recipe or an option may read several fields from one column.
        ...(uses.length > 1 ? [/** @type {const} */ ([own, both.join(', ')])] : []),
      ]),
    ),
    suggested.map(({ key, text, ways }) =>
      h('div', { key, class: 'suggested' }, h('p', { id: `suggested-${key}` }, text), h(Ways, { ways, preview })),
    ),
  );
}

/** @param {{ row: GridRow, columns: readonly string[], isRead: boolean, preview: ShownFile }} properties */
function Row({ row: { line, original, readAs, reasons, others }, columns, isRead, preview }) {
  const isLeftOut = readAs.every(({ skipped }) => skipped === true);
  const isWrong = !isLeftOut && reasons.size + others.length > 0;
  return h(
    'tr',
    { class: isLeftOut ? 'left-out' : isWrong ? 'wrong' : '' },
    h('th', { scope: 'row', class: 'number' }, line),
    columns.map((column) =>
      h(
        'td',
        { key: column },
        h('div', { class: 'cell' }, foreign(textOf(original[column]))),
        reasons
          .get(column)
          ?.map((reason) => h('p', { key: reason, class: isLeftOut ? 'note' : 'error' }, foreign(reason))),
      ),
    ),
    isRead &&
      h(
        'td',
        { class: 'read-as' },
        readAs.map((one, index) => h('div', { key: index }, h(ReadAs, { row: one, preview }))),
        others.map((reason) => h('p', { key: reason, class: isLeftOut ? 'note' : 'error' }, foreign(reason))),
      ),
  );
}

/** @param {{ row: PreviewRow, preview: ShownFile }} properties */
function ReadAs({ row: { uid, guid, scope, region, problems, skipped }, preview }) {
  if (skipped === true) return h('span', { class: 'soft' }, 'left out');
  if (problems.length > 0) return 'cannot be sent';
  const looked = preview.identities.value === undefined ? '' : ' (looked up)';
  return [foreign(uid), `${looked} in `, foreign(guid), ': ', foreign(scope), ', ', foreign(region)];
}

/** @param {unknown} value */
function textOf(value) {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
