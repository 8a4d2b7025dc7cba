/** A person's choice for this browser: kept in it, and nowhere else. */
import { effect, signal } from '@preact/signals';

const KEY = 'rollcall.clock';

function kept(): 'local' | 'utc' {
  try {
    return localStorage.getItem(KEY) === 'utc' ? 'utc' : 'local';
  } catch {
    // A browser may keep nothing.
    return 'local';
  }
}

/** The clock by which times are shown. */
export const clock = signal(kept());

effect(() => {
  const chosen = clock.value;
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // It counts until the page is closed.
  }
});

const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The zone that times are shown in. */
export function shownZone() {
  return clock.value === 'utc' ? 'UTC' : OWN_ZONE;
}
