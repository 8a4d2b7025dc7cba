/** A list that Back and a reload show again as it was left: how much of it, and how far down. The history's entry keeps that. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Address } from './requests.ts';
import { type ItemOf, type ListsOf, type Pages, usePages } from './use-answer.ts';

interface KeptPlace {
  /** Items on the page. */
  shown: number;
  /** Distance of the page's end from the top of the window, in px: the parts above the list may come later. */
  fromEnd: number;
}

interface KeptPagesOptions<Name> {
  name: Name;
  limit: number;
  step?: number;
  most?: number;
  /** Whether the open parts of the list are loaded. */
  isWhole?: boolean;
}

/** Like `usePages`, for the one long list of a page. */
export function useKeptPages<Page, Name extends ListsOf<Page>>(
  path: Address<Page> | null,
  { isWhole = true, ...options }: KeptPagesOptions<Name>,
): Pages<ItemOf<Page, Name>> {
  const before = useMemo(placeBefore, []);
  const pages = usePages<Page, Name>(path, { ...options, atFirst: before?.shown });
  // If the first items have made room, the place cannot be kept.
  useKeptPlace(pages.dropped || !isWhole ? undefined : pages.items?.length, before);
  return pages;
}

/** Parts of a list that are open. */
export interface Opened {
  /** Returns the number of items that a part shows, or is to show; undefined: it is closed. */
  shown: (key: string) => number | undefined;
  /** A part shows so many. */
  open: (key: string, shown: number) => void;
  close: (key: string) => void;
  /** Whether all that were open when the page was left are there again. */
  isWhole: boolean;
}

/** The open parts of a list, kept by the history's entry as its place is. */
export function useOpened(): Opened {
  const before = useMemo(() => (history.state?.opened ?? {}) as Readonly<Record<string, number>>, []);
  const opened = useSignal(before);
  const awaited = useSignal(Object.keys(before));
  /** @param key that is settled */
  const keep = (next: Readonly<Record<string, number>>, key: string) => {
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

/** Returns the stored place of this entry of the history. */
function placeBefore(): KeptPlace | undefined {
  const kept = history.state?.list;
  return typeof kept?.shown === 'number' && typeof kept.fromEnd === 'number' ? kept : undefined;
}

/**
 * Goes to the place from before once as many items are there, and keeps the present one when a link is followed.
 * @param shown items on the page; undefined while their place cannot be kept
 */
function useKeptPlace(shown: number | undefined, before: KeptPlace | undefined) {
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
