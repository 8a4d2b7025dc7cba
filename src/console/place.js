/** What every part of a page may ask for: who is logged in, where it is, and the way to another page. */
import { createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import { pageTitle } from './page-title.js';

/** @import { Session } from './answers.d.ts' */

/**
 * @typedef {object} Place
 * @property {string} param what the path names, decoded; '' for nothing
 * @property {URLSearchParams} query
 * @property {Session} session
 * @property {boolean} isOperator whether the visitor may change anything
 * @property {boolean} isAdmin whether the visitor may decide who else may, and who is notified
 * @property {(path: string) => void} go goes to a path of the console
 */

/** @typedef {() => import('preact').ComponentChildren} Page */

/** @type {Place} */
const NOWHERE = {
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

/** Names the page in the browser's title; '' leaves what is there. @param {string} title */
export function useTitle(title) {
  useEffect(() => {
    if (title !== '') pageTitle.value = title;
  }, [title]);
}

/** Keeps what a page is looking for in its address, so that a reload or a link finds it again. @param {string} search such as "?state=held" */
export function keepInAddress(search) {
  history.replaceState(history.state, '', `${location.pathname}${search}${location.hash}`);
}
