/** The filter of a list: its conditions as the list declares them, and their values, which the address of the page keeps. */

import { type ReadonlySignal, Signal, useSignal } from '@preact/signals';
import { useEffect, useId, useMemo, useRef } from 'preact/hooks';
import { clock } from '../format.ts';
import { keepInAddress, usePlace } from '../place.ts';
import { query } from '../requests.ts';
import { foreign } from './elements.tsx';
import { Control, type FieldOptions } from './form.tsx';

/** One condition: a text, unless it has choices or is a day. */
interface Condition extends Pick<FieldOptions, 'choices' | 'placeholder' | 'isLong'> {
  label: string;
  type?: 'date';
  /** A regular expression of the text, and a sentence about it. */
  pattern?: readonly [pattern: string, title: string];
  suggestions?: ReadonlySignal<readonly string[]>;
  /** Without a field: links set it. */
  isHidden?: boolean;
}

type Values<Name extends string> = Readonly<Partial<Record<Name | 'sort' | 'order', string>>>;

/** @template Name of a condition, as the address and the server have it */
export class Filter<Name extends string> {
  /** They may depend on what is known by now. */
  conditions: Readonly<Record<Name, Condition>>;
  readonly #values: Signal<Values<Name>>;
  readonly #keep: (query: string) => void;

  /** @param given values to begin with @param keep keeps the values */
  constructor(
    conditions: Readonly<Record<Name, Condition>>,
    given = new URLSearchParams(),
    keep: (query: string) => void = () => {},
  ) {
    this.conditions = conditions;
    this.#keep = keep;
    const set = [...Object.keys(conditions), 'sort', 'order'].flatMap((name) =>
      given.get(name) ? [[name, given.get(name)]] : [],
    );
    this.#values = new Signal(Object.fromEntries(set) as Values<Name>);
  }

  /** The conditions that are set, and the order. */
  get values(): Values<Name> {
    return this.#values.value;
  }

  /** The conditions that are set. */
  get set(): Readonly<Partial<Record<Name, string>>> {
    const { sort: _, order: __, ...conditions } = this.values as Values<string>;
    return conditions as Partial<Record<Name, string>>;
  }

  get isSet() {
    return Object.keys(this.set).length > 0;
  }

  /** @param changes '' takes a condition away */
  choose(changes: Values<Name>) {
    this.only({ ...this.#values.peek(), ...changes });
  }

  only(values: Values<Name>) {
    const set = Object.entries(values).filter(([, value]) => value !== '');
    this.#values.value = Object.fromEntries(set) as Values<Name>;
    this.#keep(query(this.#values.peek()));
  }

  /** The order stays. */
  clear() {
    this.choose(Object.fromEntries(Object.keys(this.conditions).map((name) => [name, ''])) as Values<Name>);
  }

  /** Sorts by this; turns the order around where it is sorted by it already. @param first the order without a choice */
  sortBy(sort: string, first: string) {
    const { sort: now = first, order } = this.#values.peek() as Values<string>;
    this.choose({
      sort: sort === first ? '' : sort,
      order: now === sort && order !== 'desc' ? 'desc' : '',
    } as Values<Name>);
  }
}

/** The filter of a page, which begins with what its address has. */
export function useFilter<Name extends string>(conditions: Readonly<Record<Name, Condition>>): Filter<Name> {
  const { query: given } = usePlace();
  const filter = useMemo(() => new Filter(conditions, given, keepInAddress), []);
  filter.conditions = conditions;
  return filter;
}

/** More conditions than these are folded, but for the first ones. */
const MOST_IN_SIGHT = 2;

interface FilterBarProperties<Name extends string> {
  filter: Filter<Name>;
  label: string;
  /** Fields that are always in sight, where there are many. */
  inSight?: number;
}

/** A field for each condition; of many, most are folded, and what is set can be seen and taken away. */
export function FilterBar<Name extends string>({ filter, label, inSight = 1 }: FilterBarProperties<Name>) {
  const { conditions, set } = filter;
  const names = (Object.keys(conditions) as Name[]).filter((name) => conditions[name].isHidden !== true);
  const many = names.length > MOST_IN_SIGHT;
  const [shown, folded] = many ? [names.slice(0, inSight), names.slice(inSight)] : [names, []];
  const count = folded.filter((name) => set[name] !== undefined).length;
  const field = (name: Name) => (
    <FilterField
      key={name}
      condition={conditions[name]}
      value={set[name] ?? ''}
      onValue={(value) => filter.choose({ [name]: value } as Values<Name>)}
    />
  );
  return (
    <>
      <div class="filter" role="search" aria-label={label}>
        {shown.map(field)}
        {many && (
          <details>
            <summary class="button">{count === 0 ? 'More filters' : `More filters (${count} set)`}</summary>
            <div class="filter">{folded.map(field)}</div>
          </details>
        )}
      </div>
      {many && <Chips filter={filter} inSight={shown} />}
    </>
  );
}

/** The conditions that are set and not in sight, each with a way to take it away. */
function Chips<Name extends string>({ filter, inSight }: { filter: Filter<Name>; inSight: readonly Name[] }) {
  const place = useRef<HTMLDivElement | null>(null);
  /** The pressed button is gone afterwards: the keyboard goes on at the next one, or in the first field. */
  const changing = (change: () => void) => {
    change();
    setTimeout(() => {
      if (document.activeElement !== document.body) return;
      const field = place.current?.previousElementSibling?.querySelector('input');
      (place.current?.querySelector('button') ?? field)?.focus();
    });
  };
  const set = (Object.entries(filter.set) as [Name, string][]).filter(([name]) => !inSight.includes(name));
  return (
    <div class="chips" ref={place} role="group" aria-label="Filters that are set" hidden={!filter.isSet}>
      {set.map(([name, value]) => {
        const { label } = filter.conditions[name];
        const words = wordsOf(filter.conditions[name], value);
        return (
          <button
            key={name}
            type="button"
            class="chip"
            aria-label={`Remove the filter ${label}: ${words}`}
            onClick={() => changing(() => filter.choose({ [name]: '' } as Values<Name>))}
          >
            {label}: {foreign(words)}
          </button>
        );
      })}
      {filter.isSet && (
        <button type="button" class="quiet" onClick={() => changing(() => filter.clear())}>
          Clear all
        </button>
      )}
    </div>
  );
}

/** A value as its choice is called; several ones, each as its own. */
function wordsOf({ choices = [] }: Condition, value: string) {
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
  const { pattern, suggestions, choices, type = 'search', label, placeholder, isLong = false } = condition;
  const typed = useSignal(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const latest = useRef(onValue);
  latest.current = onValue;
  const take = () => {
    clearTimeout(timer.current);
    latest.current(typed.peek().trim());
  };
  // Changed from elsewhere: cleared, or a tag was followed.
  useEffect(() => {
    if (typed.peek().trim() !== value) typed.value = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <Control
      id={id}
      label={label}
      placeholder={placeholder}
      isLong={isLong}
      type={type}
      choices={choices}
      suggestions={suggestions?.value}
      value={typed.value}
      onValue={(text) => {
        typed.value = text;
        clearTimeout(timer.current);
        if (choices !== undefined) take();
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
