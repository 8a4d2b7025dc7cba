/** A list that Back and a reload show again as it was left: how much of it, and how far down. The history's entry keeps that. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { usePages } from './answer.js';

/**
 * @typedef {object} KeptPlace
 * @property {number} shown items on the page
 * @property {number} fromEnd how far the page's end was from the top of the window, in px: what is above the list may come later
 */

/**
 * As `usePages`, for the one long list of a page.
 * @template T
 * @param {string | null} path
 * @param {{ name: string, limit: number, most?: number, isWhole?: boolean }} options `isWhole`: what is open in the list is there
 * @returns {import('./answer.js').Pages<T>}
 */
export function useKeptPages(path, { isWhole = true, ...options }) {
  const before = useMemo(placeBefore, []);
  /** @type {import('./answer.js').Pages<T>} */
  const pages = usePages(path, { ...options, atFirst: before?.shown });
  // Where the first ones have made room, the place cannot be kept.
  useKeptPlace(pages.dropped || !isWhole ? undefined : pages.items?.length, before);
  return pages;
}

/**
 * @typedef {object} Opened parts of a list that are open
 * @property {(key: string) => number | undefined} shown how many items a part shows, or is to show; undefined: it is closed
 * @property {(key: string, shown: number) => void} open a part shows so many
 * @property {(key: string) => void} close
 * @property {boolean} isWhole whether all that were open when the page was left are there again
 */

/** What is opened in a list, kept by the history's entry as its place is. @returns {Opened} */
export function useOpened() {
  const before = useMemo(() => /** @type {Readonly<Record<string, number>>} */ (history.state?.opened ?? {}), []);
  const opened = useSignal(before);
  const awaited = useSignal(Object.keys(before));
  /** @param {Readonly<Record<string, number>>} next @param {string} key that is settled */
  const keep = (next, key) => {
    opened.value = next;
    awaited.value = awaited.peek().filter((one) => one !== key);
    history.replaceState({ ...history.state, opened: next }, '');
  };
  return {
    shown: (key) => opened.value[key],
    open: (key, shown) => keep({ ...opened.peek(), [key]: shown }, key),
    close: (key) => {
      const { [key]: _, ...others } = opened.peek();
      keep(others, key);
    },
    isWhole: awaited.value.length === 0,
  };
}

/** What was kept of this entry of the history. @returns {KeptPlace | undefined} */
function placeBefore() {
  const kept = history.state?.list;
  return typeof kept?.shown === 'number' && typeof kept.fromEnd === 'number' ? kept : undefined;
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
    scrollTo(0, document.documentElement.scrollHeight - before.fromEnd);
  }, [shown]);
  useEffect(() => {
    const leaving = new AbortController();
    const keep = () => {
      const fromEnd = document.documentElement.scrollHeight - scrollY;
      const list = latest.current === undefined ? undefined : { shown: latest.current, fromEnd };
      history.replaceState({ ...history.state, list }, '');
    };
    // Before anything else hears of the click, for it may lead to another page.
    addEventListener('click', keep, { signal: leaving.signal, capture: true });
    addEventListener('pagehide', keep, { signal: leaving.signal });
    return () => leaving.abort();
  }, []);
}
