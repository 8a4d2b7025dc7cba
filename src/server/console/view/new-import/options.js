/** The options of a new import that do not depend on the file's columns. */
import { h } from '../../element.js';
import { formField } from './field.js';

/** @typedef {ReturnType<typeof importOptions>} ImportOptions */

/** @param {() => void} onReading an option by which the file is read has changed */
export function importOptions(onReading) {
  const fields = {
    guid: formField({ name: 'guid', label: 'Group', control: text() }),
    scope: formField({
      name: 'scope',
      label: 'Scope',
      control: select([['', 'participant'], 'moderator', 'admin', ['ban', 'ban (refuse entry)']]),
    }),
    region: formField({
      name: 'region',
      label: 'Region',
      control: select([['', 'the server’s default'], 'us', 'eu', 'in']),
    }),
    onBehalfOf: formField({
      name: 'onBehalfOf',
      label: 'Acting user',
      control: text(),
      note: 'Empty: the service itself acts.',
    }),
    maxErrors: formField({
      name: 'maxErrors',
      label: 'Stop after errors',
      control: text('100 or 5%'),
      note: 'Empty: never.',
    }),
    format: formField({
      name: 'format',
      label: 'Format',
      control: select([
        ['', 'detect'],
        ['csv', 'CSV'],
        ['json', 'JSON'],
        ['ndjson', 'NDJSON'],
      ]),
    }),
    encoding: formField({ name: 'encoding', label: 'Encoding', control: text('utf-8') }),
    delimiter: formField({
      name: 'delimiter',
      label: 'Delimiter',
      control: select([
        ['', 'detect'],
        [',', 'comma'],
        [';', 'semicolon'],
        ['tab', 'tab'],
        ['|', 'bar'],
      ]),
    }),
  };
  const dryRun = h('input', { type: 'checkbox', id: 'new-dryRun' });
  const { guid, scope, region, onBehalfOf, maxErrors, format, encoding, delimiter } = fields;
  const technical = h(
    'details',
    {},
    h('summary', {}, 'How the file is written'),
    h('div', { class: 'fields' }, format.element, encoding.element, delimiter.element),
  );
  const element = h(
    'div',
    {},
    h(
      'fieldset',
      {},
      h('legend', {}, 'For rows that do not say themselves'),
      h('div', { class: 'fields' }, guid.element, scope.element, region.element, onBehalfOf.element),
    ),
    h(
      'fieldset',
      {},
      h('legend', {}, 'The run'),
      h(
        'div',
        { class: 'fields' },
        maxErrors.element,
        h(
          'div',
          { class: 'check' },
          dryRun,
          h('label', { for: 'new-dryRun' }, 'Only check the file, send nothing yet (dry run)'),
        ),
      ),
    ),
    technical,
  );
  /** @type {(() => void)[]} */
  const listeners = [];
  element.addEventListener('change', () => {
    for (const listener of listeners) listener();
  });
  for (const field of [guid, scope, region, onBehalfOf, format, encoding, delimiter]) {
    field.control.addEventListener('change', () => {
      field.setError('');
      onReading();
    });
  }
  /** Those by which the file is read. @returns {Record<string, string>} */
  const reading = () =>
    Object.fromEntries(
      Object.entries(fields).flatMap(([name, { control }]) =>
        name === 'maxErrors' ? [] : [[name, control.value.trim()]],
      ),
    );
  return {
    element,
    reading,
    /** @returns {Record<string, string>} */
    values: () => ({ ...reading(), maxErrors: maxErrors.control.value.trim(), dryRun: dryRun.checked ? 'true' : '' }),
    /** @param {() => void} listener */
    onChange: (listener) => listeners.push(listener),
    /**
     * Shows what is wrong with an option beside it, and moves there if that is wanted.
     * @param {string} name
     * @param {string} detail
     * @param {{ moveFocus: boolean }} options
     * @returns {boolean} whether there is such an option
     */
    showError: (name, detail, { moveFocus }) => {
      const field = Object.hasOwn(fields, name) ? fields[/** @type {keyof typeof fields} */ (name)] : undefined;
      if (field === undefined) return false;
      if (technical.contains(field.element)) technical.open = true;
      field.setError(detail);
      if (moveFocus) field.control.focus();
      return true;
    },
    clearErrors: () => {
      for (const field of Object.values(fields)) field.setError('');
    },
  };
}

/** @param {string} [placeholder] */
function text(placeholder) {
  return h('input', { type: 'text', spellcheck: 'false', autocapitalize: 'none', autocomplete: 'off', placeholder });
}

/** @param {readonly (string | readonly [value: string, label: string])[]} options */
function select(options) {
  return h(
    'select',
    {},
    options.map((option) => {
      const [value, label] = typeof option === 'string' ? [option, option] : option;
      return h('option', { value }, label);
    }),
  );
}
