/** Work that the user starts and that may fail: one at a time, its error beside it. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { connection } from '../server-connection.ts';
import { isAway } from '../use-answer.ts';

export interface Work {
  busy: boolean;
  /** The error of the last attempt; undefined for none. */
  error: unknown;
  /** Does nothing while something is under way. */
  start: (task: (signal: AbortSignal) => Promise<void>) => Promise<void>;
  /** Undefined for none. */
  setError: (error: unknown) => void;
}

/** `signal` of a task aborts when the page is left. */
export function useWork(): Work {
  const busy = useSignal(false);
  const error = useSignal<unknown>(undefined);
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

/** Gives a signal that aborts when this part of the page is gone. */
export function useLeaving(): () => AbortSignal {
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  return () => leaving.current.signal;
}

interface WorkButtonProperties {
  busy: boolean;
  onClick: () => void;
  /** `main`, `danger`, `quiet`. */
  kind?: string;
  /** For those who do not see what it belongs to. */
  label?: string | undefined;
  children?: ComponentChildren;
}

/** A button that starts work. While it is busy it keeps the focus, which `disabled` would take away. */
export function WorkButton({ busy, onClick, kind = '', label, children }: WorkButtonProperties) {
  return (
    <button type="button" class={kind} aria-disabled={busy} aria-label={label} onClick={() => !busy && onClick()}>
      {children}
    </button>
  );
}

/** A place whose pressed button may be gone afterwards: the next one takes the keyboard, or else the page's heading. */
export function useKeptFocus() {
  const place = useRef<HTMLDivElement | null>(null);
  const had = useRef(false);
  had.current = place.current?.contains(document.activeElement) === true;
  useLayoutEffect(() => {
    if (!had.current || place.current?.contains(document.activeElement)) return;
    (place.current?.querySelector('button') ?? document.querySelector('h1'))?.focus();
  });
  // The place itself may go with the button.
  useLayoutEffect(
    () => () => {
      if (place.current?.contains(document.activeElement)) document.querySelector('h1')?.focus();
    },
    [],
  );
  return place;
}
