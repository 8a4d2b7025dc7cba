/** The filter of a list: its conditions as the list declares them, and their values, which the address of the page keeps. */

import { Signal, useSignal } from '@preact/signals';
import { useEffect, useId, useMemo, useRef } from 'preact/hooks';
import type { Values } from '../answers.ts';
import { clock } from '../format.ts';
import { keepInAddress, usePlace } from '../place.ts';
import { query } from '../requests.ts';
import { useKeptFocus } from './actions.tsx';
import { foreign } from './elements.tsx';
import { type Choice, Control, type FieldOptions } from './form.tsx';

/** One condition: a text, unless it has choices or is a day. */
interface Condition extends Pick<FieldOptions, 'choices' | 'suggestions' | 'placeholder' | 'isLong'> {
  label: string;
  type?: 'date';
  /** A regular expression of the text, and a sentence about it. */
  pattern?: readonly [pattern: string, title: string];
  /** Without a field: links set it. */
  isHidden?: boolean;
}

type Conditions = Readonly<Record<string, Condition>>;
export class Filter {
  /** They may depend on what is known by now. */
  conditions: Conditions;
  readonly #values: Signal<Values>;
  readonly #keep: (query: string) => void;

  /** @param given values to begin with @param keep keeps the values; by default the address of the page does */
  constructor(conditions: Conditions, given = new URLSearchParams(), keep: (query: string) => void = keepInAddress) {
    this.conditions = conditions;
    this.#keep = keep;
    const names = [...Object.keys(conditions), 'sort', 'order'];
    this.#values = new Signal(setOf(Object.fromEntries(names.map((name) => [name, given.get(name) ?? '']))));
  }

  /** The conditions that are set, and the order. */
  get values(): Values {
    return this.#values.value;
  }

  get set(): Values {
    const { sort: _, order: __, ...conditions } = this.values;
    return conditions;
  }

  get isSet() {
    return Object.keys(this.set).length > 0;
  }

  /** @param changes '' takes a condition away */
  choose(changes: Values) {
    this.only({ ...this.#values.peek(), ...changes });
  }

  only(values: Values) {
    this.#values.value = setOf(values);
    this.#keep(query(values));
  }

  /** The order stays. */
  clear() {
    const { sort = '', order = '' } = this.#values.peek();
    this.only({ sort, order });
  }

  /** Sorts by this; turns the order around where it is sorted by it already. @param first the order without a choice */
  sortBy(sort: string, first: string) {
    const { sort: now = first, order } = this.#values.peek();
    this.choose({ sort: sort === first ? '' : sort, order: now === sort && order !== 'desc' ? 'desc' : '' });
  }
}

function setOf(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}

/** The filter of a page, which begins with what its address has. */
export function useFilter(conditions: Conditions) {
  const { query: given } = usePlace();
  const filter = useMemo(() => new Filter(conditions, given), []);
  filter.conditions = conditions;
  return filter;
}

/** More conditions than these are folded, but for the first ones. */
const MOST_IN_SIGHT = 2;

interface FilterBarProperties {
  filter: Filter;
  label: string;
  /** Fields that are always in sight, where there are many. */
  inSight?: number;
  /** Those of the filter: they may depend on what is known by now, and the bar is drawn again when they change. */
  conditions: Conditions;
}

/** A field for each condition; of many, most are folded, and what is set can be seen and taken away. */
export function FilterBar({ filter, label, inSight = 1, conditions }: FilterBarProperties) {
  const { set } = filter;
  const offered = Object.entries(conditions).filter(([, { isHidden }]) => isHidden !== true);
  const many = offered.length > MOST_IN_SIGHT;
  const folded = many ? offered.slice(inSight) : [];
  const shown = offered.slice(0, offered.length - folded.length);
  const count = folded.filter(([name]) => set[name] !== undefined).length;
  const field = ([name, condition]: [string, Condition]) => (
    <FilterField
      key={name}
      condition={condition}
      value={set[name] ?? ''}
      onValue={(value) => filter.choose({ [name]: value })}
    />
  );
  return (
    <>
      <div class="filter row" role="search" aria-label={label}>
        {shown.map(field)}
        {many && (
          <details>
            <summary class="button">{count === 0 ? 'More filters' : `More filters (${count} set)`}</summary>
            <div class="filter row">{folded.map(field)}</div>
          </details>
        )}
      </div>
      {many && <Chips filter={filter} inSight={shown.map(([name]) => name)} />}
    </>
  );
}

/** The conditions that are set and not in sight, each with a way to take it away. */
function Chips({ filter, inSight }: { filter: Filter; inSight: readonly string[] }) {
  const place = useKeptFocus((chips) => chips.previousElementSibling?.querySelector('input'));
  const set = Object.entries(filter.set).filter(([name]) => !inSight.includes(name));
  return (
    <div class="chips row" ref={place} role="group" aria-label="Filters that are set" hidden={!filter.isSet}>
      {set.map(([name, value]) => {
        const { label = name, choices = [] } = filter.conditions[name] ?? {};
        const words = wordsOf(choices, value);
        return (
          <button
            key={name}
            type="button"
            class="chip small-button"
            aria-label={`Remove the filter ${label}: ${words}`}
            onClick={() => filter.choose({ [name]: '' })}
          >
            {label}: {foreign(words)}
          </button>
        );
      })}
      {filter.isSet && (
        <button type="button" class="quiet small-button" onClick={() => filter.clear()}>
          Clear all
        </button>
      )}
    </div>
  );
}

/** A value as its choice is called; several ones, each as its own. */
function wordsOf(choices: readonly Choice[], value: string) {
  const labels = new Map(choices.map((choice) => (typeof choice === 'string' ? [choice, choice] : choice)));
  return (
    labels.get(value) ??
    value
      .split(',')
      .map((one) => labels.get(one) ?? one)
      .join(', ')
  );
}

interface FilterFieldProperties {
  condition: Condition;
  value: string;
  onValue: (value: string) => void;
}

/** Time after the last key until the server is asked, in ms. */
const TYPED_MS = 300;

/** A text counts a moment after the last key; one that must have a form, and a day, when it is left or entered. */
function FilterField({ condition, value, onValue }: FilterFieldProperties) {
  const id = useId();
  const { pattern, isHidden: _, type = 'search', ...shown } = condition;
  const typed = useSignal(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const take = () => {
    clearTimeout(timer.current);
    onValue(typed.peek().trim());
  };
  // Changed from elsewhere: cleared, or a tag was followed.
  useEffect(() => {
    if (typed.peek().trim() !== value) typed.value = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <Control
      id={id}
      type={type}
      {...shown}
      value={typed.value}
      onValue={(text) => {
        typed.value = text;
        clearTimeout(timer.current);
        if (shown.choices !== undefined) take();
        else if (pattern === undefined && type === 'search') timer.current = setTimeout(take, TYPED_MS);
      }}
      attributes={{
        pattern: pattern?.[0],
        title: pattern?.[1],
        maxLength: 200,
        onChange: ({ currentTarget }) => currentTarget.reportValidity() && take(),
      }}
    />
  );
}

/** Values as the server takes them: days are those of the clock that times are shown by. */
export function daysAsked<F extends { readonly from?: string; readonly to?: string }>(filter: F): F {
  if (clock.value === 'utc') return filter;
  const times = (['from', 'to'] as const).map((name) => {
    const time = new Date(`${filter[name]}T00:00:00`);
    // The last day counts.
    if (name === 'to') time.setDate(time.getDate() + 1);
    return [name, Number.isNaN(time.getTime()) ? filter[name] : time.toISOString()];
  });
  return { ...filter, ...Object.fromEntries(times) };
}
