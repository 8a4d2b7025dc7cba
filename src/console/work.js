/** What the user starts and what may fail: one at a time, its error beside it. */
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { isAway } from './answer.js';
import { connection } from './connection.js';
import { h } from './element.js';

/** @import { ComponentChildren } from 'preact' */

/**
 * @typedef {object} Work
 * @property {boolean} busy
 * @property {unknown} error of the last attempt; undefined for none
 * @property {(task: (signal: AbortSignal) => Promise<void>) => Promise<void>} start does nothing while something is under way
 * @property {(error: unknown) => void} setError undefined for none
 */

/** `signal` of a task aborts when the page is left. @returns {Work} */
export function useWork() {
  const busy = useSignal(false);
  const error = useSignal(/** @type {unknown} */ (undefined));
  const signal = useLeaving();
  useEffect(() => {
    const back = () => {
      if (isAway(error.peek())) error.value = undefined;
    };
    connection.addEventListener('back', back);
    return () => connection.removeEventListener('back', back);
  }, []);
  return {
    busy: busy.value,
    error: error.value,
    setError: (value) => {
      error.value = value;
    },
    start: async (task) => {
      if (busy.peek()) return;
      busy.value = true;
      error.value = undefined;
      try {
        await task(signal());
      } catch (failure) {
        if (!signal().aborted) error.value = failure;
      } finally {
        busy.value = false;
      }
    },
  };
}

/** Gives a signal that aborts when this part of the page is gone. @returns {() => AbortSignal} */
export function useLeaving() {
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  return () => leaving.current.signal;
}

/**
 * A button that starts work. While it is busy it keeps the focus, which `disabled` would take away.
 * @param {object} properties
 * @param {boolean} properties.busy
 * @param {() => void} properties.onClick
 * @param {string} [properties.kind] `main`, `danger`, `quiet`
 * @param {string | undefined} [properties.label] for those who do not see what it belongs to
 * @param {ComponentChildren} [properties.children]
 */
export function WorkButton({ busy, onClick, kind = '', label, children }) {
  return h(
    'button',
    {
      type: 'button',
      class: kind,
      'aria-disabled': busy,
      'aria-label': label,
      onClick: () => !busy && onClick(),
    },
    children,
  );
}

/** A place whose pressed button may be gone afterwards: the next one takes the keyboard, or else the page's heading. */
export function useKeptFocus() {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  const had = useRef(false);
  had.current = place.current?.contains(document.activeElement) === true;
  useLayoutEffect(() => {
    if (!had.current || place.current?.contains(document.activeElement)) return;
    (place.current?.querySelector('button') ?? document.querySelector('h1'))?.focus();
  });
  return place;
}
