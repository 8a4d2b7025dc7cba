/** Keys that work on every page, and the dialog that names them. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { h } from './element.js';

const isOpen = signal(false);

/** The keys: what to press, what it does. */
const KEYS = /** @type {const} */ ([
  ['/', 'Go to the search of the page'],
  ['?', 'Show these keys'],
  ['g then n', 'Go to Now'],
  ['g then i', 'Go to Imports'],
  ['g then s', 'Go to Syncs'],
  ['Esc', 'Close a dialog without doing anything'],
]);

/** @type {Readonly<Record<string, string>>} */
const PAGES = { n: '/', i: '/imports', s: '/syncs' };
/** Time for the second key, in ms. */
const SECOND_MS = 1500;

/** Whether what is typed belongs to a field or a dialog. @param {EventTarget | null} target */
function isTaken(target) {
  if (document.querySelector('dialog[open]') !== null) return true;
  return (
    target instanceof HTMLElement &&
    target.matches('input:not([type="checkbox"]), select, textarea, [contenteditable="true"]')
  );
}

/** Starts to listen. @param {(path: string) => void} go goes to a path of the console  @param {() => boolean} isKnown whether a user is logged in */
export function listenToKeys(go, isKnown) {
  let pressedG = 0;
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target) || !isKnown()) return;
    const path = Date.now() - pressedG < SECOND_MS ? PAGES[event.key] : undefined;
    pressedG = event.key === 'g' ? Date.now() : 0;
    if (path !== undefined) return go(path);
    if (event.key === '?') {
      isOpen.value = true;
      event.preventDefault();
    }
    if (event.key !== '/') return;
    /** @type {HTMLInputElement | null} */
    const field = document.querySelector('main input[type="search"], main [role="search"] input');
    if (field === null) return;
    event.preventDefault();
    field.focus();
    field.select();
  });
}

/** Opens the dialog of keys. */
export function KeysButton() {
  return h('button', { type: 'button', class: 'link', onClick: () => (isOpen.value = true) }, 'Keyboard shortcuts');
}

/** The dialog of keys, where it is open. */
export function KeysDialog() {
  return isOpen.value ? h(Keys, {}) : null;
}

function Keys() {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => dialog.current?.showModal(), []);
  return h(
    'dialog',
    { ref: dialog, 'aria-labelledby': 'keys-title', onClose: () => (isOpen.value = false) },
    h(
      'form',
      { method: 'dialog' },
      h('h2', { id: 'keys-title' }, 'Keyboard shortcuts'),
      h(
        'dl',
        { class: 'keys' },
        KEYS.map(([keys, text]) => h('div', { key: keys }, h('dt', null, h('kbd', null, keys)), h('dd', null, text))),
      ),
      h('div', { class: 'buttons' }, h('button', { autoFocus: true }, 'Close')),
    ),
  );
}
