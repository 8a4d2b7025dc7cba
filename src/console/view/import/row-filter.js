/** The controls for what rows are looked for. */
import { h } from '../../element.js';
import { FilterChoice } from '../../form.js';
import { OUTCOME_LABELS, OUTCOMES, WRONG } from '../../words.js';

/** @import { RowsWanted } from './rows-wanted.js' */

const TEXTS = /** @type {const} */ ([
  ['uid', 'UID'],
  ['guid', 'Group'],
  ['code', 'Code'],
]);
/** @type {import('../../form.js').Choice[]} */
const STATUSES = [
  ['', 'all'],
  [WRONG.join(','), 'what went wrong'],
  ...OUTCOMES.map((outcome) => /** @type {const} */ ([outcome, OUTCOME_LABELS[outcome]])),
];
/** @type {import('../../form.js').Choice[]} */
const REGIONS = [['', 'all'], 'us', 'eu', 'in'];

/** @param {{ filter: RowsWanted }} properties */
export function RowFilter({ filter }) {
  const { status = '', region = '', ...texts } = filter.wanted.value;
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const given = new FormData(event.currentTarget);
    filter.choose(Object.fromEntries(TEXTS.map(([name]) => [name, String(given.get(name) ?? '').trim()])));
  };
  return h(
    'form',
    { class: 'filter', role: 'search', 'aria-label': 'Filter rows', onSubmit: submit },
    h(FilterChoice, {
      id: 'filter-status',
      label: 'Outcome',
      value: status,
      choices: STATUSES,
      onChoose: (value) => filter.choose({ status: value }),
    }),
    h(FilterChoice, {
      id: 'filter-region',
      label: 'Region',
      value: region,
      choices: REGIONS,
      onChoose: (value) => filter.choose({ region: value }),
    }),
    TEXTS.map(([name, label]) =>
      h(
        'div',
        { key: name, class: 'field' },
        h('label', { for: `filter-${name}` }, label),
        h('input', {
          id: `filter-${name}`,
          name,
          type: 'search',
          value: texts[name] ?? '',
          list: name === 'code' ? 'codes' : undefined,
          spellcheck: false,
          autocapitalize: 'none',
          // Its cross was pressed; Enter submits the form besides.
          onSearch: ({ currentTarget }) => currentTarget.value === '' && filter.choose({ [name]: '' }),
        }),
      ),
    ),
    h(
      'datalist',
      { id: 'codes' },
      filter.codes.value.map((code) => h('option', { key: code, value: code })),
    ),
    h(
      'div',
      { class: 'buttons' },
      h('button', null, 'Filter'),
      h('button', { type: 'button', class: 'quiet', onClick: () => clear(filter) }, 'Clear'),
    ),
  );
}

/** @param {RowsWanted} filter */
function clear(filter) {
  // Texts that were typed and not asked for go as well.
  for (const [name] of TEXTS) {
    const input = document.getElementById(`filter-${name}`);
    if (input instanceof HTMLInputElement) input.value = '';
  }
  filter.choose({ status: '', region: '', uid: '', guid: '', code: '' });
}
