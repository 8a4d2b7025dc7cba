/** The context of every part of a page: the user, the address, and the way to another page. */
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import type { Session } from './answers.ts';
import { pageTitle } from './page-title.ts';

interface Place {
  /** The parameter in the path, decoded; '' for none. */
  param: string;
  query: URLSearchParams;
  session: Session;
  /** Whether the visitor may change anything. */
  isOperator: boolean;
  /** Whether the visitor may decide who else may, and who is notified. */
  isAdmin: boolean;
  /** Goes to a path of the console. */
  go: (path: string) => void;
}

export type Page = () => ComponentChildren;

const NOWHERE: Place = {
  param: '',
  query: new URLSearchParams(),
  session: { role: 'viewer', name: '', tokenRequired: true },
  isOperator: false,
  isAdmin: false,
  go: () => undefined,
};

export const PlaceContext = createContext(NOWHERE);

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
  history.replaceState(history.state, '', `${location.pathname}${search}${location.hash}`);
}
