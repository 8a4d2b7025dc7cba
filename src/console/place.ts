/** The context of every part of a page: the user, the address, the way to another page, the title, and the room that there is. */

import { computed, effect, signal } from '@preact/signals';
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import type { Overview } from './answers.ts';
import { overview } from './live.ts';

interface Place {
  /** The parameter in the path, decoded; '' for none. */
  param: string;
  query: URLSearchParams;
  /** Whether the visitor may change anything. */
  isOperator: boolean;
  /** Whether the visitor may decide who else may, and who is notified. */
  isAdmin: boolean;
  /** Goes to a path of the console. */
  go: (path: string) => void;
}

export type Page = () => ComponentChildren;

/** For no one. */
export const PlaceContext = createContext<Place>({
  param: '',
  query: new URLSearchParams(),
  isOperator: false,
  isAdmin: false,
  go: () => undefined,
});

export function usePlace() {
  return useContext(PlaceContext);
}

/** Names the page in the browser's title; '' leaves what is there. */
export function useTitle(title: string) {
  useEffect(() => {
    if (title !== '') pageTitle.value = title;
  }, [title]);
}

/** Keeps what a page is looking for in its address, so that a reload or a link finds it again. @param search such as "?state=held" */
export function keepInAddress(search: string) {
  history.replaceState(null, '', `${location.pathname}${search}${location.hash}`);
  shownSearch.value = location.search;
}

/** The query of the page that is shown, such as "?state=held". */
export const shownSearch = signal('');

/** The page's own part of the title. */
export const pageTitle = signal('');

export function needed(known: Overview | undefined) {
  return known === undefined ? 0 : known.needs.imports + known.needs.syncs + known.needs.schedules;
}

/** Fills title and icon from now on. */
export function showTitle() {
  // The two values only: progress comes every second, and must not redraw title and icon.
  const needs = computed(() => needed(overview.value));
  const isBusy = computed(() => (overview.value?.running.length ?? 0) > 0);
  effect(() => {
    const count = needs.value;
    document.title = `${count > 0 ? `(${count}) ` : ''}${pageTitle.value} · rollcall`;
  });
  const icon = document.querySelector('link[rel="icon"]');
  const plain = icon?.getAttribute('href') ?? '';
  effect(() => {
    const dot = needs.value > 0 ? '#e0560f' : isBusy.value ? '#2fbf71' : '';
    icon?.setAttribute('href', dot === '' ? plain : markWith(dot));
  });
}

/** The mark (mark.svg) with a dot on it. */
function markWith(colour: string) {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#1f5f8b"/><path d="M6 8h4M6 12h4M6 16h4" stroke="#9cc4e4" stroke-width="2" stroke-linecap="round"/><path d="M12.5 12.5l2.5 2.5 4.5-6" fill="none" stroke="#fff" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"/><circle cx="18" cy="6" r="5.5" fill="${colour}" stroke="#fff" stroke-width="1.5"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

export function isNarrow() {
  return matchMedia('(max-width: 52rem)').matches;
}
