/** Keys that work on every page, and the dialog that names them. */
import { signal } from '@preact/signals';
import { useModal } from './dialog.tsx';

const isOpen = signal(false);

/** The keys: what to press, what it does. */
const KEYS = [
  ['/', 'Go to the search of the page'],
  ['?', 'Show these keys'],
  ['g then n', 'Go to Now'],
  ['g then i', 'Go to Imports'],
  ['g then s', 'Go to Syncs'],
  ['Esc', 'Close a dialog without doing anything'],
] as const;

const PAGES: Readonly<Record<string, string>> = { n: '/', i: '/imports', s: '/syncs' };
/** Time for the second key, in ms. */
const SECOND_MS = 1500;

/** Whether what is typed belongs to a field or a dialog. */
function isTaken(target: EventTarget | null) {
  if (document.querySelector('dialog[open]') !== null) return true;
  return (
    target instanceof HTMLElement &&
    target.matches('input:not([type="checkbox"]), select, textarea, [contenteditable="true"]')
  );
}

/** Starts to listen. @param go goes to a path of the console @param isKnown whether a user is logged in */
export function listenToKeys(go: (path: string) => void, isKnown: () => boolean) {
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
    const field: HTMLInputElement | null = document.querySelector(
      'main input[type="search"], main [role="search"] input',
    );
    if (field === null) return;
    event.preventDefault();
    field.focus();
    field.select();
  });
}

/** Opens the dialog of keys. */
export function KeysButton() {
  return (
    <button type="button" class="link" onClick={() => (isOpen.value = true)}>
      Keyboard shortcuts
    </button>
  );
}

/** The dialog of keys, where it is open. */
export function KeysDialog() {
  return isOpen.value ? <Keys /> : null;
}

function Keys() {
  const dialog = useModal();
  return (
    <dialog ref={dialog} aria-labelledby="keys-title" onClose={() => (isOpen.value = false)}>
      <form method="dialog">
        <h2 id="keys-title">Keyboard shortcuts</h2>
        <dl class="keys">
          {KEYS.map(([keys, text]) => (
            <div key={keys}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
        <div class="buttons">
          <button type="submit" autoFocus>
            Close
          </button>
        </div>
      </form>
    </dialog>
  );
}
