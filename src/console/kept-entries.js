/** What a person enters outlives its page: it is there again when they come back. Only a reload would lose it, so the browser asks first. */
import { signal } from '@preact/signals';
import { useRef } from 'preact/hooks';

/**
 * @typedef {object} Entry what was entered at one place
 * @property {() => boolean} isUnsaved whether a reload would lose something
 * @property {() => void} [end] nobody needs it any more
 */

/** @type {Map<string, Entry>} */
const entries = new Map();
const forgotten = signal(0);

/**
 * What was entered at this place before, if it is unsaved; else, and after `forget`, a new entry.
 * @template {Entry} T
 * @param {string} place
 * @param {() => T} make
 * @returns {T}
 */
export function useEntry(place, make) {
  const own = useRef(/** @type {T | undefined} */ (undefined));
  // Drawn once more when it is forgotten.
  forgotten.value;
  const present = entries.get(place);
  const isKept = own.current === undefined ? present?.isUnsaved() : present === own.current;
  if (isKept) own.current = /** @type {T} */ (present);
  else {
    present?.end?.();
    own.current = make();
    entries.set(place, own.current);
  }
  return own.current;
}

/** For what lives on no page. @param {string} place @param {Entry} entry */
export function keep(place, entry) {
  entries.set(place, entry);
}

/** @param {string} place */
export function forget(place) {
  entries.get(place)?.end?.();
  entries.delete(place);
  forgotten.value += 1;
}

/** What one person has entered is not for the next one. */
export function forgetAll() {
  for (const place of entries.keys()) forget(place);
}

export function isAnythingUnsaved() {
  return [...entries.values()].some((entry) => entry.isUnsaved());
}

addEventListener('beforeunload', (event) => {
  if (isAnythingUnsaved()) event.preventDefault();
});
