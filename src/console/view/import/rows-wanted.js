/** What rows of an import are looked for, and in what order; the address of the page holds it. */
import { signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { query } from '../../api.js';
import { keepInAddress, usePlace } from '../../place.js';

const FILTERS = /** @type {const} */ ([
  'text',
  'line',
  'status',
  'check',
  'problemColumn',
  'region',
  'uid',
  'guid',
  'code',
]);
const ORDERS = /** @type {const} */ (['sort', 'order']);
/** @typedef {Readonly<Partial<Record<typeof FILTERS[number] | typeof ORDERS[number], string>>>} Wanted what is not set counts as '' */

export class RowsWanted {
  wanted;
  /** Codes that can be filtered for. @type {import('@preact/signals').Signal<readonly string[]>} */
  codes = signal([]);

  /** @param {Wanted} initial */
  constructor(initial) {
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

  /** @param {Wanted} changes */
  choose(changes) {
    this.wanted.value = { ...this.wanted.peek(), ...changes };
    keepInAddress(query(this.wanted.peek()));
  }

  /** Sorts by this; turns the order around where it is sorted by it already. @param {string} sort */
  sortBy(sort) {
    const { sort: now = '', order = '' } = this.wanted.peek();
    const isSame = (now === '' ? 'row' : now) === sort;
    this.choose({ sort: sort === 'row' ? '' : sort, order: isSame && order !== 'desc' ? 'desc' : '' });
  }

  /** No filter any more; the order stays. */
  clear() {
    this.choose(Object.fromEntries(FILTERS.map((name) => [name, ''])));
  }

  /** Filters for this alone, and goes to the rows. @param {Wanted} wanted */
  chooseAlone(wanted) {
    this.wanted.value = wanted;
    keepInAddress(query(wanted));
    const card = document.getElementById('rows')?.parentElement;
    card?.scrollIntoView();
    card?.querySelector('input')?.focus({ preventScroll: true });
  }
}

/** The filter that the address of the page begins with. @returns {RowsWanted} */
export function useRowsWanted() {
  const place = usePlace();
  const rows = useRef(/** @type {RowsWanted | undefined} */ (undefined));
  rows.current ??= new RowsWanted(
    Object.fromEntries([...FILTERS, ...ORDERS].map((name) => [name, place.query.get(name) ?? ''])),
  );
  return rows.current;
}
