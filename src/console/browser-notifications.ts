/** Tells of a long import that is over, where the person has allowed it: also when the page is in a background tab. */
import { effect } from '@preact/signals';
import { importHref } from './elements.tsx';
import { fileName, stateSentence } from './import-words.ts';
import { overview } from './live-overview.ts';
import { preferences } from './preferences.ts';
import { call } from './requests.ts';

/** An import that takes less is over before anyone looks away, in ms. */
const LONG_MS = 60_000;

/** Whether this browser has notifications for this page: it needs https, or this machine. */
export function canNotify() {
  return 'Notification' in globalThis && isSecureContext;
}

/** Watches from now on. @param go goes to a path of the console */
export function notifyOfEnds(go: (path: string) => void) {
  let before: ReadonlySet<string> = new Set();
  effect(() => {
    const known = overview.value;
    const { notify } = preferences.value;
    const now = new Set(known?.running.map(({ id }) => id));
    const gone = known === undefined ? [] : [...before].filter((id) => !now.has(id));
    before = now;
    if (!notify || !canNotify() || Notification.permission !== 'granted') return;
    for (const id of gone) void tell(id, go);
  });
}

async function tell(id: string, go: (path: string) => void) {
  const view = await call('GET /v1/imports/:id', { id }).catch(() => undefined);
  if (view === undefined || !document.hidden) return;
  const took = Date.parse(view.finishedAt ?? new Date().toISOString()) - Date.parse(view.startedAt ?? view.createdAt);
  if (took < LONG_MS) return;
  // The same tag in another tab replaces it: it is shown once.
  const note = new Notification(fileName(view.file), { body: stateSentence(view), tag: id });
  note.addEventListener('click', () => {
    focus();
    go(importHref(id));
    note.close();
  });
}
