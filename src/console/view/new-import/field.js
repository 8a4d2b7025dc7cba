/** A control with its label, a note, and a place for what is wrong with it. */
import { fill, h } from '../../element.js';

/**
 * @param {object} options
 * @param {string} options.name
 * @param {string} options.label
 * @param {HTMLInputElement | HTMLSelectElement} options.control
 * @param {string} [options.note]
 */
export function formField({ name, label, control, note }) {
  const id = `new-${name}`;
  control.id = id;
  control.setAttribute('aria-describedby', `${id}-error${note === undefined ? '' : ` ${id}-note`}`);
  const error = h('p', { class: 'error', id: `${id}-error` });
  const element = h(
    'div',
    { class: 'field' },
    h('label', { for: id }, label),
    control,
    note !== undefined && h('p', { class: 'note', id: `${id}-note` }, note),
    error,
  );
  return {
    element,
    control,
    /** Shows what is wrong, '' for nothing. @param {string} text */
    setError: (text) => {
      fill(error, text);
      if (text === '') control.removeAttribute('aria-invalid');
      else control.setAttribute('aria-invalid', 'true');
    },
  };
}
