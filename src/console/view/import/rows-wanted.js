/** What rows of an import are looked for; the address of the page holds it. */
import { signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { query } from '../../api.js';
import { keepInAddress, usePlace } from '../../place.js';

const FILTERS = /** @type {const} */ (['status', 'region', 'uid', 'guid', 'code']);
/** @typedef {Readonly<Partial<Record<typeof FILTERS[number], string>>>} Wanted what is not set counts as '' */

export class RowsWanted {
  wanted;
  /** Codes that can be filtered for. @type {import('@preact/signals').Signal<readonly string[]>} */
  codes = signal([]);

  /** @param {Wanted} initial */
  constructor(initial) {
    this.wanted = signal(initial);
  }

  get isSet() {
    return query(this.wanted.value) !== '';
  }

  /** @param {Wanted} changes */
  choose(changes) {
    this.wanted.value = { ...this.wanted.peek(), ...changes };
    keepInAddress(query(this.wanted.peek()));
  }

  /** Filters for this alone, and goes to the rows. @param {Wanted} wanted */
  chooseAlone(wanted) {
    this.wanted.value = wanted;
    keepInAddress(query(wanted));
    const card = document.getElementById('rows')?.parentElement;
    card?.scrollIntoView();
    card?.querySelector('select')?.focus({ preventScroll: true });
  }
}

/** The filter that the address of the page begins with. @returns {RowsWanted} */
export function useRowsWanted() {
  const place = usePlace();
  const rows = useRef(/** @type {RowsWanted | undefined} */ (undefined));
  rows.current ??= new RowsWanted(Object.fromEntries(FILTERS.map((name) => [name, place.query.get(name) ?? ''])));
  return rows.current;
}
