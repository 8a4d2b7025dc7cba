/** The controls for what rows are looked for, and what is set as chips. */

import { useRef } from 'preact/hooks';
import { REGIONS } from '../../../chat/service/regions.ts';
import { foreign, h } from '../../element.js';
import { FilterChoice } from '../../form.js';
import { OUTCOME_LABELS, OUTCOMES, WRONG } from '../../words.js';
import { ROW_ORDERS } from './row-columns.js';

/** @import { RowsWanted } from './rows-wanted.js' */

const TEXTS = /** @type {const} */ ([
  ['text', 'Text', 'any column'],
  ['line', 'Row', '120-150'],
  ['uid', 'UID', ''],
  ['guid', 'Group', ''],
  ['code', 'Code', ''],
]);
const WENT_WRONG = WRONG.join(',');
/** @type {import('../../form.js').Choice[]} */
const STATUSES = [
  ['', 'all'],
  [WENT_WRONG, 'what went wrong'],
  ...OUTCOMES.map((outcome) => /** @type {const} */ ([outcome, OUTCOME_LABELS[outcome]])),
];
/** @type {import('../../form.js').Choice[]} */
const REGION_CHOICES = [['', 'all'], ...REGIONS];

/** @param {{ filter: RowsWanted }} properties */
export function RowFilter({ filter }) {
  const { status = '', region = '', sort = '', order = '', ...texts } = filter.wanted.value;
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const given = new FormData(event.currentTarget);
    filter.choose(Object.fromEntries(TEXTS.map(([name]) => [name, String(given.get(name) ?? '').trim()])));
  };
  return [
    h(
      'form',
      { key: 'form', class: 'filter', role: 'search', 'aria-label': 'Filter rows', onSubmit: submit },
      TEXTS.slice(0, 2).map((text) => h(TextField, { key: text[0], text, value: texts[text[0]] ?? '', filter })),
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
        choices: REGION_CHOICES,
        onChoose: (value) => filter.choose({ region: value }),
      }),
      TEXTS.slice(2).map((text) => h(TextField, { key: text[0], text, value: texts[text[0]] ?? '', filter })),
      h(FilterChoice, {
        id: 'filter-sort',
        label: 'Sort by',
        value: `${sort === '' ? 'row' : sort} ${order === 'desc' ? 'desc' : 'asc'}`,
        choices: ROW_ORDERS,
        onChoose: (value) => {
          const [by = '', direction] = value.split(' ');
          filter.choose({ sort: by === 'row' ? '' : by, order: direction === 'desc' ? 'desc' : '' });
        },
      }),
      h(
        'datalist',
        { id: 'codes' },
        filter.codes.value.map((code) => h('option', { key: code, value: code })),
      ),
      h('div', { class: 'buttons' }, h('button', null, 'Filter')),
    ),
    h(Chips, { key: 'chips', filter }),
  ];
}

/** @param {{ text: typeof TEXTS[number], value: string, filter: RowsWanted }} properties */
function TextField({ text: [name, label, hint], value, filter }) {
  return h(
    'div',
    { class: 'field' },
    h('label', { for: `filter-${name}` }, label),
    h('input', {
      id: `filter-${name}`,
      name,
      type: 'search',
      // Text that was typed but not submitted is dropped when the filter changes.
      key: value,
      defaultValue: value,
      placeholder: hint,
      ...(name === 'line' && {
        pattern: '\\s*\\d{1,9}(-\\d{1,9})?\\s*',
        title: 'A row of the file such as 120, or a range such as 120-150',
        inputMode: /** @type {const} */ ('numeric'),
      }),
      list: name === 'code' ? 'codes' : undefined,
      maxLength: 200,
      spellcheck: false,
      autocapitalize: 'none',
      // Its cross was pressed; Enter submits the form besides.
      onSearch: ({ currentTarget }) => currentTarget.value === '' && filter.choose({ [name]: '' }),
    }),
  );
}

/** What is set, each with a way to take it away. @param {{ filter: RowsWanted }} properties */
function Chips({ filter }) {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  /** The pressed button is gone afterwards: the keyboard goes on at the next one, or in the first field. @param {() => void} change */
  const changing = (change) => {
    change();
    setTimeout(() => {
      if (document.activeElement !== document.body) return;
      const next = place.current?.querySelector('button') ?? document.getElementById('filter-text');
      next?.focus();
    });
  };
  const set = Object.entries(filter.filter);
  return h(
    'div',
    { class: 'chips', ref: place, role: 'group', 'aria-label': 'Filters that are set', hidden: set.length === 0 },
    set.map(([name, value]) =>
      h(
        'button',
        {
          key: name,
          type: 'button',
          class: 'chip',
          'aria-label': `Remove the filter ${chipLabel(name)}: ${chipValue(name, value)}`,
          onClick: () => changing(() => filter.choose({ [name]: '' })),
        },
        `${chipLabel(name)}: `,
        foreign(chipValue(name, value)),
        h('span', { 'aria-hidden': true }, ' ×'),
      ),
    ),
    set.length > 0 &&
      h(
        'button',
        { key: 'all', type: 'button', class: 'quiet', onClick: () => changing(() => filter.clear()) },
        'Clear all',
      ),
  );
}

/** @param {string} name */
function chipLabel(name) {
  if (name === 'status') return 'Outcome';
  if (name === 'region') return 'Region';
  return TEXTS.find(([text]) => text === name)?.[1] ?? name;
}

/** @param {string} name @param {string} value */
function chipValue(name, value) {
  if (name !== 'status') return value;
  if (value === WENT_WRONG) return 'what went wrong';
  return value
    .split(',')
    .map((one) => OUTCOMES.find((outcome) => outcome === one))
    .map((outcome) => (outcome === undefined ? value : OUTCOME_LABELS[outcome]))
    .join(', ');
}
