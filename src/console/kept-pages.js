/** A list that Back and a reload show again as it was left: how much of it, and how far down. The history's entry keeps that. */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { usePages } from './answer.js';

/**
 * @typedef {object} KeptPlace
 * @property {number} shown items on the page
 * @property {number} top how far the page was scrolled
 */

/**
 * As `usePages`, for the one long list of a page.
 * @template T
 * @param {string | null} path
 * @param {{ name: string, limit: number, most?: number }} options
 * @returns {import('./answer.js').Pages<T>}
 */
export function useKeptPages(path, options) {
  const before = useMemo(placeBefore, []);
  /** @type {import('./answer.js').Pages<T>} */
  const pages = usePages(path, { ...options, atFirst: before?.shown });
  // Where the first ones have made room, the place cannot be kept.
  useKeptPlace(pages.dropped ? undefined : pages.items?.length, before);
  return pages;
}

/** What was kept of this entry of the history. @returns {KeptPlace | undefined} */
function placeBefore() {
  const kept = history.state?.list;
  return typeof kept?.shown === 'number' && typeof kept.top === 'number' ? kept : undefined;
}

/**
 * Goes to the place from before once as many items are there, and keeps the present one when a link is followed.
 * @param {number | undefined} shown items on the page; undefined while their place cannot be kept
 * @param {KeptPlace | undefined} before
 */
function useKeptPlace(shown, before) {
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
      const list = latest.current === undefined ? undefined : { shown: latest.current, top: scrollY };
      history.replaceState({ ...history.state, list }, '');
    };
    // Before anything else hears of the click, for it may lead to another page.
    addEventListener('click', keep, { signal: leaving.signal, capture: true });
    addEventListener('pagehide', keep, { signal: leaving.signal });
    return () => leaving.abort();
  }, []);
}
