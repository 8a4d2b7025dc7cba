/** What filters a list while it is shown: fields, and what is set, which the address of the page keeps. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { query } from './api.js';
import { h } from './element.js';
import { isNarrow } from './narrow.js';
import { keepInAddress, usePlace } from './place.js';
import { preferences } from './preferences.js';

/** @import { ComponentChildren } from 'preact' */

/** What is set. @template {string} Name @typedef {Readonly<Partial<Record<Name, string>>>} FilterValues */

/**
 * @template {string} Name
 * @typedef {object} Filter
 * @property {FilterValues<Name>} values
 * @property {boolean} isSet
 * @property {(name: Name) => { value: string, onValue: (value: string) => void }} typed what a field shows, and what a change of it sets
 * @property {(name: Name) => { value: string, onChoose: (value: string) => void }} chosen the same for a choice
 * @property {() => void} clear
 */

/**
 * @template {string} Name
 * @param {readonly Name[]} names as the address has them
 * @param {() => void} [onChange]
 * @returns {Filter<Name>}
 */
export function useFilter(names, onChange) {
  const { query: given } = usePlace();
  const values = useSignal(
    /** @type {FilterValues<Name>} */ (
      Object.fromEntries(names.flatMap((name) => (given.get(name) ? [[name, given.get(name)]] : [])))
    ),
  );
  /** @param {FilterValues<Name>} wanted */
  const assign = (wanted) => {
    values.value = wanted;
    keepInAddress(query(wanted));
    onChange?.();
  };
  /** @param {Name} name */
  const set = (name) => (/** @type {string} */ value) => {
    const { [name]: _, ...others } = values.peek();
    assign(/** @type {FilterValues<Name>} */ (value === '' ? others : { ...others, [name]: value }));
  };
  return {
    values: values.value,
    isSet: Object.keys(values.value).length > 0,
    typed: (name) => ({ value: values.value[name] ?? '', onValue: set(name) }),
    chosen: (name) => ({ value: values.value[name] ?? '', onChoose: set(name) }),
    clear: () => assign(/** @type {FilterValues<Name>} */ ({})),
  };
}

/**
 * The search and the other fields; these are folded where there is little room, so that the list stays in sight.
 * @param {{ filter: Filter<'search'>, label: string, placeholder: string, children?: ComponentChildren }} properties
 */
export function FilterBar({ filter, label, placeholder, children }) {
  const set = Object.keys(filter.values);
  const others = set.filter((name) => name !== 'search').length;
  const search = h(TypedFilter, { id: 'search', label: 'Search', placeholder, ...filter.typed('search') });
  const clear =
    set.length > 0 &&
    h(
      'button',
      { type: 'button', class: 'quiet', onClick: filter.clear },
      set.length === 1 ? 'Clear the filter' : `Clear ${set.length} filters`,
    );
  return h(
    'div',
    { class: 'filter list-filter', role: 'search', 'aria-label': label },
    isNarrow()
      ? [
          h('div', { key: 'search' }, search, clear),
          h(
            'details',
            { key: 'others' },
            h('summary', null, others === 0 ? 'More filters' : `More filters (${others} set)`),
            h('div', null, children),
          ),
        ]
      : h('div', { key: 'all' }, search, children, clear),
  );
}

/** Time after the last key until the server is asked, in ms. */
const TYPED_MS = 300;

/**
 * A text that counts a moment after the last key.
 * @param {{ id: string, label: string, value: string, placeholder?: string, onValue: (value: string) => void }} properties
 */
export function TypedFilter({ id, label, value, placeholder, onValue }) {
  const typed = useSignal(value);
  const timer = useRef(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined));
  const latest = useRef(onValue);
  latest.current = onValue;
  // Changed from elsewhere: cleared, or a tag was followed.
  useEffect(() => {
    if (typed.peek().trim() !== value) typed.value = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return h(
    'div',
    { class: 'field' },
    h('label', { for: id }, label),
    h('input', {
      id,
      type: 'search',
      value: typed.value,
      placeholder,
      spellcheck: false,
      autocapitalize: 'none',
      autocomplete: 'off',
      maxLength: 200,
      onInput: ({ currentTarget }) => {
        typed.value = currentTarget.value;
        clearTimeout(timer.current);
        timer.current = setTimeout(() => latest.current(typed.peek().trim()), TYPED_MS);
      },
    }),
  );
}

/** @param {{ id: string, label: string, value: string, onValue: (value: string) => void }} properties */
export function DayFilter({ id, label, value, onValue }) {
  return h(
    'div',
    { class: 'field' },
    h('label', { for: id }, label),
    h('input', { id, type: 'date', value, onChange: ({ currentTarget }) => onValue(currentTarget.value) }),
  );
}

/**
 * A filter as the server takes it: days are those of the clock that times are shown by.
 * @template {{ readonly from?: string, readonly to?: string }} F
 * @param {F} filter
 * @returns {F}
 */
export function daysAsked(filter) {
  if (preferences.value.clock === 'utc') return filter;
  const { from, to } = filter;
  return {
    ...filter,
    ...(isDay(from) && { from: new Date(`${from}T00:00:00`).toISOString() }),
    ...(isDay(to) && { to: dayAfter(to).toISOString() }),
  };
}

/** @param {string | undefined} text @returns {text is string} */
function isDay(text) {
  return text !== undefined && !Number.isNaN(Date.parse(`${text}T00:00:00`));
}

/** @param {string} day */
function dayAfter(day) {
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + 1);
  return date;
}
