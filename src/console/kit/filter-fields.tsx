/** Filters of a list while it is shown: fields and the values set, which the address of the page keeps. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { isNarrow, keepInAddress, usePlace } from '../place.ts';
import { clock } from '../preferences.ts';
import { query } from '../requests.ts';

/** The values that are set. */
type FilterValues<Name extends string> = Readonly<Partial<Record<Name, string>>>;

export interface Filter<Name extends string> {
  values: FilterValues<Name>;
  isSet: boolean;
  /** Returns the text of a field, and the setter for its changes. */
  typed: (name: Name) => { value: string; onValue: (value: string) => void };
  /** The same for a choice. */
  chosen: (name: Name) => { value: string; onChoose: (value: string) => void };
  clear: () => void;
}

/** @param names as the address has them */
export function useFilter<Name extends string>(names: readonly Name[], onChange?: () => void): Filter<Name> {
  const { query: given } = usePlace();
  const values = useSignal(
    Object.fromEntries(
      names.flatMap((name) => (given.get(name) ? [[name, given.get(name)]] : [])),
    ) as FilterValues<Name>,
  );
  const assign = (wanted: FilterValues<Name>) => {
    values.value = wanted;
    keepInAddress(query(wanted));
    onChange?.();
  };
  const set = (name: Name) => (value: string) => {
    const { [name]: _, ...others } = values.peek();
    assign((value === '' ? others : { ...others, [name]: value }) as FilterValues<Name>);
  };
  return {
    values: values.value,
    isSet: Object.keys(values.value).length > 0,
    typed: (name) => ({ value: values.value[name] ?? '', onValue: set(name) }),
    chosen: (name) => ({ value: values.value[name] ?? '', onChoose: set(name) }),
    clear: () => assign({} as FilterValues<Name>),
  };
}

interface FilterBarProperties {
  filter: Filter<'search'>;
  label: string;
  placeholder: string;
  children?: ComponentChildren;
}

/** The search and the other fields; these are folded where there is little room, so that the list stays in sight. */
export function FilterBar({ filter, label, placeholder, children }: FilterBarProperties) {
  const set = Object.keys(filter.values);
  const others = set.filter((name) => name !== 'search').length;
  const search = <TypedFilter id="search" label="Search" placeholder={placeholder} {...filter.typed('search')} />;
  const clear = set.length > 0 && (
    <button type="button" class="quiet" onClick={filter.clear}>
      {set.length === 1 ? 'Clear the filter' : `Clear ${set.length} filters`}
    </button>
  );
  return (
    <div class="filter list-filter" role="search" aria-label={label}>
      {isNarrow() ? (
        <>
          <div>
            {search}
            {clear}
          </div>
          <details>
            <summary>{others === 0 ? 'More filters' : `More filters (${others} set)`}</summary>
            <div>{children}</div>
          </details>
        </>
      ) : (
        <div>
          {search}
          {children}
          {clear}
        </div>
      )}
    </div>
  );
}

/** Time after the last key until the server is asked, in ms. */
const TYPED_MS = 300;

interface TypedFilterProperties {
  id: string;
  label: string;
  value: string;
  placeholder?: string;
  onValue: (value: string) => void;
}

/** A text that counts a moment after the last key. */
export function TypedFilter({ id, label, value, placeholder, onValue }: TypedFilterProperties) {
  const typed = useSignal(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const latest = useRef(onValue);
  latest.current = onValue;
  // Changed from elsewhere: cleared, or a tag was followed.
  useEffect(() => {
    if (typed.peek().trim() !== value) typed.value = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="search"
        value={typed.value}
        placeholder={placeholder}
        spellcheck={false}
        autocapitalize="none"
        autocomplete="off"
        maxLength={200}
        onInput={({ currentTarget }) => {
          typed.value = currentTarget.value;
          clearTimeout(timer.current);
          timer.current = setTimeout(() => latest.current(typed.peek().trim()), TYPED_MS);
        }}
      />
    </div>
  );
}

interface DayFilterProperties {
  id: string;
  label: string;
  value: string;
  onValue: (value: string) => void;
}

export function DayFilter({ id, label, value, onValue }: DayFilterProperties) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} type="date" value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)} />
    </div>
  );
}

/** A filter as the server takes it: days are those of the clock that times are shown by. */
export function daysAsked<F extends { readonly from?: string; readonly to?: string }>(filter: F): F {
  if (clock.value === 'utc') return filter;
  const { from, to } = filter;
  return {
    ...filter,
    ...(isDay(from) && { from: new Date(`${from}T00:00:00`).toISOString() }),
    ...(isDay(to) && { to: dayAfter(to).toISOString() }),
  };
}

function isDay(text: string | undefined): text is string {
  return text !== undefined && !Number.isNaN(Date.parse(`${text}T00:00:00`));
}

function dayAfter(day: string) {
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + 1);
  return date;
}
