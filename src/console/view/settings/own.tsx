/** A person's choices for this browser: the clock of the times, and notifications of the end of long imports. */
import { useSignal } from '@preact/signals';
import { canNotify } from '../../notifications.ts';
import { prefer, preferences } from '../../preferences.ts';

export function OwnSettings() {
  return (
    <div class="fields">
      <ClockChoice />
      <NotifyChoice />
    </div>
  );
}

function ClockChoice() {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <div class="field">
      <label for="clock">Times are shown in</label>
      <select
        id="clock"
        value={preferences.value.clock}
        aria-describedby="clock-note"
        onChange={({ currentTarget }) => prefer({ clock: currentTarget.value === 'utc' ? 'utc' : 'local' })}
      >
        <option value="local">local time ({own})</option>
        <option value="utc">UTC</option>
      </select>
      <p class="note" id="clock-note">
        Schedules keep the time zone that each of them names.
      </p>
    </div>
  );
}

function NotifyChoice() {
  const refused = useSignal('');
  const isPossible = canNotify();
  const choose = async (wanted: boolean) => {
    refused.value = '';
    if (!wanted) return prefer({ notify: false });
    const answer = await Notification.requestPermission();
    if (answer === 'granted') return prefer({ notify: true });
    refused.value = 'The browser does not allow notifications for this page; allow them in its settings first.';
  };
  return (
    <div class="field">
      <div class="check">
        <input
          id="notify"
          type="checkbox"
          checked={preferences.value.notify}
          disabled={!isPossible}
          aria-describedby="notify-note"
          onChange={async ({ currentTarget }) => {
            await choose(currentTarget.checked);
            currentTarget.checked = preferences.peek().notify;
          }}
        />
        <label for="notify">Notify me when an import of more than a minute ends</label>
      </div>
      <p class="note" id="notify-note">
        {isPossible
          ? 'While rollcall is open in a tab that you are not looking at.'
          : 'Browsers allow this only over https, or on the machine that runs the server.'}
      </p>
      <p class="error" role="alert">
        {refused.value}
      </p>
    </div>
  );
}
