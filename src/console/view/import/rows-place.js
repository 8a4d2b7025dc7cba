/** How far down the rows the visitor was: kept in the history's entry, so that Back and a reload return there. */
import { useEffect, useRef } from 'preact/hooks';

/**
 * @typedef {object} KeptPlace
 * @property {number} shown rows on the page
 * @property {number} top how far the page was scrolled
 */

/** What was kept of this entry of the history. @returns {KeptPlace | undefined} */
export function placeBefore() {
  const kept = history.state?.rows;
  return typeof kept?.shown === 'number' && typeof kept.top === 'number' ? kept : undefined;
}

/**
 * Goes to the place from before once as many rows are there, and keeps the present one when a link is followed.
 * @param {number | undefined} shown rows on the page; undefined while their place cannot be kept
 * @param {KeptPlace | undefined} before
 */
export function useKeptPlace(shown, before) {
  const latest = useRef(shown);
  latest.current = shown;
  const isThere = useRef(before === undefined);
  useEffect(() => {
    if (shown === undefined || isThere.current || before === undefined) return;
    isThere.current = true;
    scrollTo(0, before.top);
  }, [shown]);
  useEffect(() => {
    const leaving = new AbortController();
    const keep = () => {
      const rows = latest.current === undefined ? undefined : { shown: latest.current, top: scrollY };
      history.replaceState({ ...history.state, rows }, '');
    };
    // Before anything else hears of the click, for it may lead to another page.
    addEventListener('click', keep, { signal: leaving.signal, capture: true });
    addEventListener('pagehide', keep, { signal: leaving.signal });
    return () => leaving.abort();
  }, []);
}
