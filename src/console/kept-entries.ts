/**
 * Keeps unsaved entries after their page is left: they are there again when the person comes back. Where a reload would
 * lose one, the browser asks first.
 */
import { signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { tried } from './storage.ts';
import { forgetAllStored } from './stored-files.ts';

/** The entries at one place. */
interface Entry {
  /** Whether a reload would lose something. */
  isUnsaved: () => boolean;
  /** Whether it is there after a reload. Default: no. */
  isStored?: () => boolean;
  /** Nobody needs it any more. */
  end?: () => void;
}

const entries = new Map<string, Entry>();
const forgotten = signal(0);

/** Returns the unsaved entry of this place; if there is none, and after `forget`, a new one. */
export function useEntry<T extends Entry>(place: string, make: () => T): T {
  const own = useRef<T | undefined>(undefined);
  // Drawn once more when it is forgotten.
  forgotten.value;
  const present = entries.get(place);
  const isKept = own.current === undefined ? present?.isUnsaved() : present === own.current;
  if (isKept) own.current = present as T;
  else {
    present?.end?.();
    own.current = make();
    entries.set(place, own.current);
  }
  return own.current;
}

/** For what lives on no page. */
export function keep(place: string, entry: Entry) {
  entries.set(place, entry);
}

export function entryAt(place: string) {
  return entries.get(place);
}

export function forget(place: string) {
  entries.get(place)?.end?.();
  entries.delete(place);
  forgotten.value += 1;
}

/** Entries of one person are not for the next one. */
export function forgetAll() {
  for (const place of entries.keys()) forget(place);
  void forgetAllStored();
  tried(() => sessionStorage.clear());
}

export function isAnythingUnsaved() {
  return [...entries.values()].some((entry) => entry.isUnsaved());
}

addEventListener('beforeunload', (event) => {
  if ([...entries.values()].some((entry) => entry.isUnsaved() && entry.isStored?.() !== true)) event.preventDefault();
});
