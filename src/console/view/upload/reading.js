/** How a file is read, whatever it is uploaded for. */
import { h } from '../../element.js';
import { SelectField, TextField } from '../../form.js';

/** @import { Form, Choice } from '../../form.js' */

/** The values of these fields before anything is chosen: '' lets the server decide. */
export const READING = {
  ...{ guid: '', scope: '', region: '', onBehalfOf: '' },
  ...{ format: '', encoding: '', delimiter: '' },
};

/** @type {Choice[]} */
const SCOPES = [['', 'participant'], 'moderator', 'admin', ['ban', 'ban (refuse entry)']];
/** @type {Choice[]} */
const REGIONS = [['', 'the server’s default'], 'us', 'eu', 'in'];
/** @type {Choice[]} */
const FORMATS = [
  ['', 'detect'],
  ['csv', 'CSV'],
  ['json', 'JSON'],
  ['ndjson', 'NDJSON'],
];
/** @type {Choice[]} */
const DELIMITERS = [
  ['', 'detect'],
  [',', 'comma'],
  [';', 'semicolon'],
  ['tab', 'tab'],
  ['|', 'pipe (|)'],
];

/** @param {{ form: Form }} properties */
export function RowDefaults({ form }) {
  return h(
    'fieldset',
    null,
    h('legend', null, 'Defaults for rows without a value'),
    h(
      'div',
      { class: 'fields' },
      h(TextField, { form, name: 'guid', label: 'Group' }),
      h(SelectField, { form, name: 'scope', label: 'Scope', choices: SCOPES }),
      h(SelectField, { form, name: 'region', label: 'Region', choices: REGIONS }),
      h(TextField, {
        form,
        name: 'onBehalfOf',
        label: 'Acting user',
        note: 'Leave empty to let the service itself act.',
      }),
    ),
  );
}

/** @param {{ form: Form }} properties */
export function FileFormat({ form }) {
  return h(
    'details',
    null,
    h('summary', null, 'File format'),
    h(
      'div',
      { class: 'fields' },
      h(SelectField, { form, name: 'format', label: 'Format', choices: FORMATS }),
      h(TextField, { form, name: 'encoding', label: 'Encoding', placeholder: 'utf-8' }),
      h(SelectField, { form, name: 'delimiter', label: 'Delimiter', choices: DELIMITERS }),
    ),
  );
}
