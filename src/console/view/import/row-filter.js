/** What rows are looked for. */
import { h } from '../../element.js';
import { OUTCOME_LABELS, OUTCOMES, WRONG } from '../../words.js';

const TEXTS = /** @type {const} */ ([
  ['uid', 'UID'],
  ['guid', 'Group'],
  ['code', 'Code'],
]);

/**
 * @param {URLSearchParams} initial
 * @param {() => void} onChange
 */
export function rowFilter(initial, onChange) {
  const status = h(
    'select',
    { id: 'filter-status', onchange: onChange },
    h('option', { value: '' }, 'all'),
    h('option', { value: WRONG.join(',') }, 'what went wrong'),
    OUTCOMES.map((outcome) => h('option', { value: outcome }, OUTCOME_LABELS[outcome])),
  );
  const region = h(
    'select',
    { id: 'filter-region', onchange: onChange },
    h('option', { value: '' }, 'all'),
    ['us', 'eu', 'in'].map((one) => h('option', { value: one }, one)),
  );
  const codes = h('datalist', { id: 'codes' });
  const texts = TEXTS.map(([name, label]) => ({
    name,
    label,
    input: h('input', {
      id: `filter-${name}`,
      type: 'search',
      list: name === 'code' ? 'codes' : null,
      spellcheck: 'false',
      autocapitalize: 'none',
      // Its cross was pressed; Enter submits the form besides.
      onsearch: (/** @type {Event} */ { target }) =>
        target instanceof HTMLInputElement && target.value === '' && onChange(),
    }),
  }));
  const controls = new Map([
    ['status', status],
    ['region', region],
    ...texts.map(({ name, input }) => /** @type {[string, HTMLInputElement | HTMLSelectElement]} */ ([name, input])),
  ]);
  /** @param {Readonly<Record<string, string>>} values */
  const set = (values) => {
    for (const [name, control] of controls) {
      const value = values[name] ?? '';
      control.value = value;
      // An outcome or list of them that stands in an address may not be among those offered.
      if (control instanceof HTMLSelectElement && control.value !== value) {
        control.append(h('option', { value }, value));
        control.value = value;
      }
    }
  };
  set(Object.fromEntries(initial));
  const values = () => Object.fromEntries([...controls].map(([name, control]) => [name, control.value.trim()]));
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    onChange();
  };
  const clear = () => {
    set({});
    onChange();
  };
  const element = h(
    'form',
    { class: 'filter', role: 'search', 'aria-label': 'Filter rows', onsubmit: submit },
    field('filter-status', 'Outcome', status),
    field('filter-region', 'Region', region),
    texts.map(({ name, label, input }) => field(`filter-${name}`, label, input)),
    codes,
    h(
      'div',
      { class: 'buttons' },
      h('button', {}, 'Filter'),
      h('button', { type: 'button', class: 'quiet', onclick: clear }, 'Clear'),
    ),
  );
  return {
    element,
    values,
    set,
    isSet: () => Object.values(values()).some((value) => value !== ''),
    /** @param {readonly string[]} offered */
    offerCodes: (offered) => codes.replaceChildren(...offered.map((code) => h('option', { value: code }))),
  };
}

/**
 * @param {string} id
 * @param {string} label
 * @param {HTMLElement} control
 */
function field(id, label, control) {
  return h('div', { class: 'field' }, h('label', { for: id }, label), control);
}
