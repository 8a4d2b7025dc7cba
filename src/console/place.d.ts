import type { Session } from './answers.d.ts';

/** What a page gets to work with. */
export interface Place {
  /** What the path names, decoded; '' for nothing. */
  param: string;
  query: URLSearchParams;
  session: Session;
  /** Aborts when the page is left. */
  signal: AbortSignal;
  setTitle(title: string): void;
  /** Goes to a path of the console. */
  go(path: string): void;
}

/** Makes the elements of a page; one of them holds its h1. */
export type Page = (place: Place) => readonly HTMLElement[];
