/** Which column of the file is what. */
import { fill, h } from '../../element.js';
import { MISSING } from '../../words.js';
import { formField } from './field.js';

/** @import { Field, Preview } from '../../answers.d.ts' */

/** @type {readonly (readonly [field: Field, label: string])[]} */
const FIELDS = [
  ['uid', 'User (UID)'],
  ['guid', 'Group (GUID)'],
  ['scope', 'Scope'],
  ['region', 'Region'],
  ['onBehalfOf', 'Acting user'],
];
const LONGEST_SAMPLE = 24;

/** @param {() => void} onChange */
export function columnMapping(onChange) {
  /** Chosen by hand, where that differs from what is recognised. @type {Map<Field, string>} */
  const chosen = new Map();
  /** What was recognised before anything was chosen. @type {Preview['recognised']} */
  let recognised = {};
  const fields = FIELDS.map(([field, label]) => {
    const control = h('select', { onchange: () => choose(field, control.value) });
    return { field, label, ...formField({ name: `map-${field}`, label, control }) };
  });
  const element = h(
    'fieldset',
    { hidden: true },
    h('legend', {}, 'Map columns'),
    h(
      'div',
      { class: 'fields' },
      fields.map((field) => field.element),
    ),
  );

  /** @param {Field} field @param {string} column */
  const choose = (field, column) => {
    if (column === (recognised[field] ?? '')) chosen.delete(field);
    else chosen.set(field, column);
    onChange();
  };
  return {
    element,
    /** As the server takes it: `uid=Member ID,guid=Team`. */
    text: () => [...chosen].map(([field, column]) => `${field}=${column}`).join(','),
    /** Forgets all choices: another file. */
    reset: () => {
      chosen.clear();
      recognised = {};
      element.hidden = true;
    },
    /** @param {Preview} preview */
    show: (preview) => {
      if (chosen.size === 0) recognised = preview.recognised;
      element.hidden = preview.columns.length === 0;
      for (const { field, control, setError } of fields) {
        const own = preview.recognised[field] ?? '';
        // A column may look like the scope and say something else: what a row can do without can be left out.
        const options = [
          ...(field !== 'uid' || own === '' ? [h('option', { value: '' }, 'none')] : []),
          ...preview.columns.map((column) => h('option', { value: column }, `${column}${sampleOf(preview, column)}`)),
        ];
        fill(control, options);
        control.value = own;
        setError(preview.missing.includes(field) ? (MISSING[field] ?? '') : '');
      }
    },
    /**
     * @param {string} name
     * @param {string} detail
     * @returns {boolean} whether there is such a field to choose for
     */
    showError: (name, detail) => {
      const field = fields.find((one) => one.field === name);
      if (field === undefined || element.hidden) return false;
      field.setError(detail);
      field.control.focus();
      return true;
    },
  };
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
