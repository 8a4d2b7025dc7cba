/** The filter and order of an import's rows, which the address of the page holds, and their controls. */
import { signal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { REGIONS } from '../../../chat/service/regions.ts';
import { OUTCOMES } from '../../../membership/outcome.ts';
import { OUTCOME_LABELS, WRONG } from '../../import-words.ts';
import { foreign } from '../../kit/elements.tsx';
import { type Choice, FilterChoice } from '../../kit/form.tsx';
import { isNarrow, keepInAddress, usePlace } from '../../place.ts';
import { query } from '../../requests.ts';
import { ROW_ORDERS } from './row-columns.tsx';

const FILTERS = ['text', 'line', 'status', 'check', 'problemColumn', 'region', 'uid', 'guid', 'code'] as const;
const ORDERS = ['sort', 'order'] as const;
/** The conditions; a missing value counts as ''. */
type Wanted = Readonly<Partial<Record<(typeof FILTERS)[number] | (typeof ORDERS)[number], string>>>;

export class RowsWanted {
  wanted;
  /** Codes that can be filtered for. */
  codes = signal<readonly string[]>([]);
  /** Whether there are rows that can be repaired, and were not. */
  hasToRepair = signal(false);

  constructor(initial: Wanted) {
    this.wanted = signal(initial);
  }

  /** The part that chooses rows, without their order. */
  get filter() {
    const wanted = this.wanted.value;
    return Object.fromEntries(
      FILTERS.flatMap((name) => {
        const value = wanted[name] ?? '';
        return value === '' ? [] : [[name, value]];
      }),
    );
  }

  get isSet() {
    return query(this.filter) !== '';
  }

  choose(changes: Wanted) {
    this.wanted.value = { ...this.wanted.peek(), ...changes };
    keepInAddress(query(this.wanted.peek()));
  }

  /** Sorts by this; turns the order around where it is sorted by it already. */
  sortBy(sort: string) {
    const { sort: now = '', order = '' } = this.wanted.peek();
    const isSame = (now === '' ? 'row' : now) === sort;
    this.choose({ sort: sort === 'row' ? '' : sort, order: isSame && order !== 'desc' ? 'desc' : '' });
  }

  /** No filter any more; the order stays. */
  clear() {
    this.choose(Object.fromEntries(FILTERS.map((name) => [name, ''])));
  }

  /** Filters for this alone, and goes to the rows. */
  chooseAlone(wanted: Wanted) {
    this.wanted.value = wanted;
    keepInAddress(query(wanted));
    const card = document.getElementById('rows')?.parentElement;
    card?.scrollIntoView();
    card?.querySelector('input')?.focus({ preventScroll: true });
  }
}

/** The filter that the address of the page begins with. */
export function useRowsWanted(): RowsWanted {
  const place = usePlace();
  const rows = useRef<RowsWanted | undefined>(undefined);
  rows.current ??= new RowsWanted(
    Object.fromEntries([...FILTERS, ...ORDERS].map((name) => [name, place.query.get(name) ?? ''])),
  );
  return rows.current;
}

const TEXTS = [
  ['text', 'Text', 'any column'],
  ['line', 'Row', '120-150'],
  ['uid', 'UID', ''],
  ['guid', 'Group', ''],
  ['code', 'Code', ''],
] as const;
const WENT_WRONG = WRONG.join(',');
const STATUSES: Choice[] = [
  ['', 'all'],
  [WENT_WRONG, 'what went wrong'],
  ...OUTCOMES.map((outcome) => [outcome, OUTCOME_LABELS[outcome]] as const),
];
const REGION_CHOICES: Choice[] = [['', 'all'], ...REGIONS];

export function RowFilter({ filter }: { filter: RowsWanted }) {
  const { status = '', region = '', sort = '', order = '', ...texts } = filter.wanted.value;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const given = new FormData(event.currentTarget);
    filter.choose(Object.fromEntries(TEXTS.map(([name]) => [name, String(given.get(name) ?? '').trim()])));
  };
  const isFolded = useMemo(isNarrow, []);
  const more = (
    <>
      <TextField text={TEXTS[1]} value={texts.line ?? ''} filter={filter} />
      <FilterChoice
        id="filter-region"
        label="Region"
        value={region}
        choices={REGION_CHOICES}
        onChoose={(value) => filter.choose({ region: value })}
      />
      {TEXTS.slice(2).map((text) => (
        <TextField key={text[0]} text={text} value={texts[text[0]] ?? ''} filter={filter} />
      ))}
      <FilterChoice
        id="filter-sort"
        label="Sort by"
        value={`${sort === '' ? 'row' : sort} ${order === 'desc' ? 'desc' : 'asc'}`}
        choices={ROW_ORDERS}
        onChoose={(value) => {
          const [by = '', direction] = value.split(' ');
          filter.choose({ sort: by === 'row' ? '' : by, order: direction === 'desc' ? 'desc' : '' });
        }}
      />
    </>
  );
  return (
    <>
      <form class="filter" role="search" aria-label="Filter rows" onSubmit={submit}>
        <TextField text={TEXTS[0]} value={texts.text ?? ''} filter={filter} />
        <FilterChoice
          id="filter-status"
          label="Outcome"
          value={status}
          choices={STATUSES}
          onChoose={(value) => filter.choose({ status: value })}
        />
        {isFolded ? (
          <details
            // A wrong text is shown where it is.
            onInvalidCapture={({ currentTarget }) => {
              currentTarget.open = true;
            }}
          >
            <summary>More filters, and the order</summary>
            <div class="filter">{more}</div>
          </details>
        ) : (
          more
        )}
        <datalist id="codes">
          {filter.codes.value.map((code) => (
            <option key={code} value={code} />
          ))}
        </datalist>
        <div class="buttons">
          <button type="submit">Filter</button>
        </div>
      </form>
      <Chips filter={filter} />
    </>
  );
}

interface TextFieldProperties {
  text: (typeof TEXTS)[number];
  value: string;
  filter: RowsWanted;
}

function TextField({ text: [name, label, hint], value, filter }: TextFieldProperties) {
  return (
    <div class="field">
      <label for={`filter-${name}`}>{label}</label>
      <input
        id={`filter-${name}`}
        name={name}
        type="search"
        // Text that was typed but not submitted is dropped when the filter changes.
        key={value}
        defaultValue={value}
        placeholder={hint}
        {...(name === 'line' && {
          pattern: '\\s*\\d{1,9}(-\\d{1,9})?\\s*',
          title: 'A row of the file such as 120, or a range such as 120-150',
          inputMode: 'numeric' as const,
        })}
        list={name === 'code' ? 'codes' : undefined}
        maxLength={200}
        spellcheck={false}
        autocapitalize="none"
        // Its cross was pressed; Enter submits the form besides.
        onSearch={({ currentTarget }) => currentTarget.value === '' && filter.choose({ [name]: '' })}
      />
    </div>
  );
}

/** Shows the conditions that are set, each with a way to remove it. */
function Chips({ filter }: { filter: RowsWanted }) {
  const place = useRef<HTMLDivElement | null>(null);
  /** The pressed button is gone afterwards: the keyboard goes on at the next one, or in the first field. */
  const changing = (change: () => void) => {
    change();
    setTimeout(() => {
      if (document.activeElement !== document.body) return;
      const next = place.current?.querySelector('button') ?? document.getElementById('filter-text');
      next?.focus();
    });
  };
  const set = Object.entries(filter.filter);
  return (
    <div class="chips" ref={place} role="group" aria-label="Filters that are set" hidden={set.length === 0}>
      {set.map(([name, value]) => (
        <button
          key={name}
          type="button"
          class="chip"
          aria-label={`Remove the filter ${chipLabel(name)}: ${chipValue(name, value)}`}
          onClick={() => changing(() => filter.choose({ [name]: '' }))}
        >
          {chipLabel(name)}: {foreign(chipValue(name, value))}
          <span aria-hidden> ×</span>
        </button>
      ))}
      {set.length > 0 && (
        <button type="button" class="quiet" onClick={() => changing(() => filter.clear())}>
          Clear all
        </button>
      )}
    </div>
  );
}

function chipLabel(name: string) {
  if (name === 'status') return 'Outcome';
  if (name === 'region') return 'Region';
  return TEXTS.find(([text]) => text === name)?.[1] ?? name;
}

function chipValue(name: string, value: string) {
  if (name !== 'status') return value;
  if (value === WENT_WRONG) return 'what went wrong';
  return value
    .split(',')
    .map((one) => OUTCOMES.find((outcome) => outcome === one))
    .map((outcome) => (outcome === undefined ? value : OUTCOME_LABELS[outcome]))
    .join(', ');
}
