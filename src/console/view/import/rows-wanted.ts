/** The filter and order of an import's rows; the address of the page holds them. */
import { signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { query } from '../../api.ts';
import { keepInAddress, usePlace } from '../../place.ts';

const FILTERS = ['text', 'line', 'status', 'check', 'problemColumn', 'region', 'uid', 'guid', 'code'] as const;
const ORDERS = ['sort', 'order'] as const;
/** The conditions; a missing value counts as ''. */
type Wanted = Readonly<Partial<Record<(typeof FILTERS)[number] | (typeof ORDERS)[number], string>>>;

export class RowsWanted {
  wanted;
  /** Codes that can be filtered for. */
  codes = signal<readonly string[]>([]);

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
