/** Forms: values by name, an error beside each control, and the way to the first one that is wrong. */
import { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { h } from './element.js';
import { isNarrow } from './narrow.js';

/** @import { ComponentChildren } from 'preact' */

/** Values and errors of a form by the names of its fields; a checkbox is 'true' or ''. */
export class Form {
  /** @type {Signal<Readonly<Record<string, string>>>} */
  values;
  /** @type {Signal<Readonly<Record<string, string>>>} */
  errors = new Signal({});
  /** @type {Map<string, HTMLElement>} */
  #controls = new Map();
  #initial;

  /** @param {Readonly<Record<string, string>>} initial */
  constructor(initial) {
    this.#initial = initial;
    this.values = new Signal(initial);
  }

  /** Whether anything differs from how the form began. */
  get isChanged() {
    return Object.entries(this.values.peek()).some(([name, value]) => value !== (this.#initial[name] ?? ''));
  }

  /** All values, without the space around them. @returns {Readonly<Record<string, string>>} */
  read() {
    return Object.fromEntries(Object.entries(this.values.peek()).map(([name, value]) => [name, value.trim()]));
  }

  /** @param {string} name */
  get(name) {
    return this.values.value[name] ?? '';
  }

  /** The error of a field goes with the value that it is about. @param {string} name @param {string} value */
  set(name, value) {
    this.values.value = { ...this.values.peek(), [name]: value };
    this.setError(name, '');
  }

  /** Several values at once. @param {Readonly<Record<string, string>>} values */
  assign(values) {
    this.values.value = { ...this.values.peek(), ...values };
    for (const name of Object.keys(values)) this.setError(name, '');
  }

  /** @param {string} name @param {string} text '' for nothing */
  setError(name, text) {
    if ((this.errors.peek()[name] ?? '') !== text) this.errors.value = { ...this.errors.peek(), [name]: text };
  }

  /** @param {(name: string) => boolean} [isOver] the fields; default: all */
  clearErrors(isOver = () => true) {
    this.errors.value = Object.fromEntries(Object.entries(this.errors.peek()).filter(([name]) => !isOver(name)));
  }

  /**
   * Shows what is wrong with a field beside it, and moves there if that is wanted.
   * @param {string} name
   * @param {string} text
   * @param {{ moveFocus?: boolean }} [options]
   * @returns {boolean} whether there is such a field
   */
  showError(name, text, { moveFocus = true } = {}) {
    const control = this.#controls.get(name);
    if (control === undefined) return false;
    this.setError(name, text);
    const folded = control.closest('details');
    if (folded !== null) folded.open = true;
    if (moveFocus) control.focus();
    return true;
  }

  /** @param {string} name @param {HTMLElement | null} control */
  register(name, control) {
    if (control === null) this.#controls.delete(name);
    else this.#controls.set(name, control);
  }
}

/** A form that lives as long as this part of the page. @param {Readonly<Record<string, string>>} initial */
export function useForm(initial) {
  const form = useRef(/** @type {Form | undefined} */ (undefined));
  form.current ??= new Form(initial);
  return form.current;
}

/**
 * @typedef {object} FieldProperties
 * @property {Form} form
 * @property {string} name
 * @property {string} label
 * @property {string | undefined} [note]
 * @property {string | undefined} [placeholder]
 * @property {boolean} [isLong] its values are: it gets the room of two
 */

/**
 * @typedef {object} ControlProperties what a control needs to belong to its field
 * @property {string} id
 * @property {string} name
 * @property {string} aria-describedby
 * @property {boolean | undefined} aria-invalid
 * @property {(control: HTMLElement | null) => void} ref
 */

/**
 * A control with its label, a note, and a place for what is wrong with it.
 * @param {FieldProperties & { control: (properties: ControlProperties) => ComponentChildren }} properties
 */
export function Field({ form, name, label, note, isLong = false, control }) {
  const id = `new-${name}`;
  const error = form.errors.value[name] ?? '';
  return h(
    'div',
    { class: isLong ? 'field long' : 'field' },
    h('label', { for: id }, label),
    control({
      id,
      name,
      'aria-describedby': `${id}-error${note === undefined ? '' : ` ${id}-note`}`,
      'aria-invalid': error === '' ? undefined : true,
      ref: (element) => form.register(name, element),
    }),
    note !== undefined && h('p', { class: 'note', id: `${id}-note` }, note),
    h('p', { class: 'error', id: `${id}-error` }, error),
  );
}

/** One line of text. @param {FieldProperties} properties */
export function TextField(properties) {
  const { form, name, placeholder } = properties;
  return h(Field, {
    ...properties,
    control: (own) =>
      h('input', {
        ...own,
        type: 'text',
        value: form.get(name),
        placeholder,
        spellcheck: false,
        autocapitalize: 'none',
        autocomplete: 'off',
        onInput: ({ currentTarget }) => form.set(name, currentTarget.value),
      }),
  });
}

/** @typedef {string | readonly [value: string, label: string]} Choice a value that is its own label, or both */

/** One of several. @param {FieldProperties & { choices: readonly Choice[] }} properties */
export function SelectField(properties) {
  const { form, name, choices } = properties;
  return h(Field, {
    ...properties,
    control: (own) =>
      h(
        'select',
        { ...own, value: form.get(name), onChange: ({ currentTarget }) => form.set(name, currentTarget.value) },
        optionsOf(choices),
      ),
  });
}

/** Fields that few need: under a title, and folded where there is little room. @param {{ title: string, children?: ComponentChildren }} properties */
export function FieldGroup({ title, children }) {
  if (!isNarrow()) return h('fieldset', null, h('legend', null, title), children);
  return h('details', null, h('summary', null, title), h('fieldset', { 'aria-label': title }, children));
}

/** Moves to a field, out of what is folded. @param {string} name of a field */
export function focusField(name) {
  const control = document.getElementById(`new-${name}`);
  const folded = control?.closest('details');
  if (folded) folded.open = true;
  control?.focus();
}

/** Yes or no. @param {FieldProperties} properties */
export function CheckField({ form, name, label }) {
  const id = `new-${name}`;
  return h(
    'div',
    { class: 'check' },
    h('input', {
      type: 'checkbox',
      id,
      checked: form.get(name) === 'true',
      ref: (control) => form.register(name, control),
      onChange: ({ currentTarget }) => form.set(name, currentTarget.checked ? 'true' : ''),
    }),
    h('label', { for: id }, label),
  );
}

/** @param {readonly Choice[]} choices */
export function optionsOf(choices) {
  return choices.map((choice) => {
    const [value, label] = typeof choice === 'string' ? [choice, choice] : choice;
    return h('option', { key: value, value }, label);
  });
}

/**
 * A choice that filters what is shown.
 * @param {object} properties
 * @param {string} properties.id
 * @param {string} properties.label
 * @param {string} properties.value
 * @param {readonly Choice[]} properties.choices
 * @param {(value: string) => void} properties.onChoose
 */
export function FilterChoice({ id, label, value, choices, onChoose }) {
  const known = choices.some((choice) => (typeof choice === 'string' ? choice : choice[0]) === value);
  return h(
    'div',
    { class: 'field' },
    h('label', { for: id }, label),
    h(
      'select',
      { id, value, onChange: ({ currentTarget }) => onChoose(currentTarget.value) },
      // What stands in an address may not be among those offered.
      optionsOf(known ? choices : [...choices, value]),
    ),
  );
}

/** Calls when a value has changed since it was last drawn, not at first. @param {unknown} value @param {() => void} onChange */
export function useChange(value, onChange) {
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) isFirst.current = false;
    else onChange();
  }, [value]);
}
