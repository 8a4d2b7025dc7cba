/** A person's choices for this browser: kept in it, and nowhere else. */
import { effect, signal } from '@preact/signals';

const KEY = 'rollcall.preferences';

type Preferences = { clock: 'local' | 'utc'; notify: boolean };

function kept(): Preferences {
  try {
    const { clock, notify } = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return { clock: clock === 'utc' ? 'utc' : 'local', notify: notify === true };
  } catch {
    // A browser may keep nothing, or something else stands there.
    return { clock: 'local', notify: false };
  }
}

export const preferences = signal(kept());

effect(() => {
  const text = JSON.stringify(preferences.value);
  try {
    localStorage.setItem(KEY, text);
  } catch {
    // It counts until the page is closed.
  }
});

export function prefer(changes: Partial<Preferences>) {
  preferences.value = { ...preferences.peek(), ...changes };
}

const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The zone that times are shown in. */
export function shownZone() {
  return preferences.value.clock === 'utc' ? 'UTC' : OWN_ZONE;
}
