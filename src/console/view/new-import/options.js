/** The options of an upload that do not depend on the file's columns. */
import { h } from '../../element.js';
import { formField } from './field.js';

/** @typedef {ReturnType<typeof formOptions>} FormOptions */

/**
 * What an upload of one kind has besides how its file is read.
 * @typedef {object} OwnOptions
 * @property {HTMLElement} element
 * @property {() => Record<string, string>} values
 * @property {(name: string, detail: string) => HTMLElement | undefined} showError gives the control, if it has this option
 * @property {() => void} clearErrors
 */

/** @param {() => void} onReading an option by which the file is read has changed */
export function importOptions(onReading) {
  const maxErrors = formField({
    name: 'maxErrors',
    label: 'Stop after errors',
    control: text('100 or 5%'),
    note: 'Leave empty to never stop.',
  });
  const dryRun = checkbox('dryRun', 'Only check the file, send nothing yet (dry run)');
  const fields = h('div', { class: 'fields' }, maxErrors.element, dryRun.element);
  return formOptions(onReading, {
    element: h('fieldset', {}, h('legend', {}, 'Run options'), fields),
    values: () => ({ maxErrors: maxErrors.control.value.trim(), dryRun: dryRun.value() }),
    showError: (name, detail) => {
      if (name !== 'maxErrors') return undefined;
      maxErrors.setError(detail);
      return maxErrors.control;
    },
    clearErrors: () => maxErrors.setError(''),
  });
}

/**
 * How the file is read, and what else this kind of upload has.
 * @param {() => void} onReading an option by which the file is read has changed
 * @param {OwnOptions} own
 */
export function formOptions(onReading, own) {
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
      note: 'Leave empty to let the service itself act.',
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
        ['|', 'pipe (|)'],
      ]),
    }),
  };
  const { guid, scope, region, onBehalfOf, format, encoding, delimiter } = fields;
  const technical = h(
    'details',
    {},
    h('summary', {}, 'File format'),
    h('div', { class: 'fields' }, format.element, encoding.element, delimiter.element),
  );
  const element = h(
    'div',
    {},
    h(
      'fieldset',
      {},
      h('legend', {}, 'Defaults for rows without a value'),
      h('div', { class: 'fields' }, guid.element, scope.element, region.element, onBehalfOf.element),
    ),
    own.element,
    technical,
  );
  /** @type {(() => void)[]} */
  const listeners = [];
  element.addEventListener('change', () => {
    for (const listener of listeners) listener();
  });
  for (const field of Object.values(fields)) {
    field.control.addEventListener('change', () => {
      field.setError('');
      onReading();
    });
  }
  /** Those by which the file is read. @returns {Record<string, string>} */
  const reading = () =>
    Object.fromEntries(Object.entries(fields).map(([name, { control }]) => [name, control.value.trim()]));
  return {
    element,
    reading,
    /** @returns {Record<string, string>} */
    values: () => ({ ...reading(), ...own.values() }),
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
      field?.setError(detail);
      const control = field?.control ?? own.showError(name, detail);
      if (control === undefined) return false;
      if (technical.contains(control)) technical.open = true;
      if (moveFocus) control.focus();
      return true;
    },
    clearErrors: () => {
      for (const field of Object.values(fields)) field.setError('');
      own.clearErrors();
    },
  };
}

/**
 * @param {string} name
 * @param {string} label
 */
export function checkbox(name, label) {
  const control = h('input', { type: 'checkbox', id: `new-${name}` });
  const element = h('div', { class: 'check' }, control, h('label', { for: control.id }, label));
  return { element, value: () => (control.checked ? 'true' : '') };
}

/** @param {string} [placeholder] */
export function text(placeholder) {
  return h('input', { type: 'text', spellcheck: 'false', autocapitalize: 'none', autocomplete: 'off', placeholder });
}

/** @param {readonly (string | readonly [value: string, label: string])[]} options */
export function select(options) {
  return h(
    'select',
    {},
    options.map((option) => {
      const [value, label] = typeof option === 'string' ? [option, option] : option;
      return h('option', { value }, label);
    }),
  );
}
