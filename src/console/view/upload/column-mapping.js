/** Which column of the file is what. */
import { h } from '../../element.js';
import { Field, optionsOf } from '../../form.js';
import { columnLabel, FIELDS } from '../../words.js';
import { TEMPLATE } from './shape-form.js';

/** @import { Field as FieldName, Preview } from '../../answers.d.ts' */
/** @import { Form } from '../../form.js' */
/** @import { ShownFile } from './preview.js' */

const LONGEST_SAMPLE = 24;

/** @param {{ preview: ShownFile, form: Form }} properties */
export function ColumnMapping({ preview, form }) {
  const found = preview.found.value;
  if (found === undefined || found.columns.length === 0) return null;
  const isDerived = form.get('uidFrom') === TEMPLATE;
  return h(
    'fieldset',
    null,
    h('legend', null, 'Map columns'),
    h(
      'div',
      { class: 'fields' },
      FIELDS.filter(([field]) => !(field === 'uid' && isDerived)).map(([field, label]) =>
        h(ColumnChoice, { key: field, field, label, found, preview, form }),
      ),
    ),
  );
}

/** @param {{ field: FieldName, label: string, found: Preview, preview: ShownFile, form: Form }} properties */
function ColumnChoice({ field, label, found, preview, form }) {
  const own = preview.columnOf(field);
  return h(Field, {
    form,
    name: `map-${field}`,
    label,
    control: (properties) =>
      h(
        'select',
        {
          ...properties,
          value: own,
          onChange: ({ currentTarget }) => preview.choose(field, currentTarget.value),
        },
        optionsOf([
          // A column may look like the scope and say something else.
          ['', 'none'],
          ...found.columns.map(
            (column) => /** @type {const} */ ([column, `${columnLabel(column)}${sampleOf(found, column)}`]),
          ),
        ]),
      ),
  });
}

/**
 * A first value of a column, to know it by.
 * @param {Preview} preview
 * @param {string} column
 */
function sampleOf({ rows }, column) {
  for (const { original } of rows) {
    const value =
      typeof original === 'object' && original !== null
        ? /** @type {Record<string, unknown>} */ (original)[column]
        : undefined;
    if (value === undefined || value === null || value === '') continue;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return ` (${text.length > LONGEST_SAMPLE ? `${text.slice(0, LONGEST_SAMPLE)}…` : text})`;
  }
  return '';
}
