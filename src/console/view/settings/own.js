/** What a person chooses for this browser: the clock of the times, and whether it tells of the end of long imports. */
import { useSignal } from '@preact/signals';
import { h } from '../../element.js';
import { canNotify } from '../../notifications.js';
import { prefer, preferences } from '../../preferences.js';

export function OwnSettings() {
  return h('div', { class: 'fields' }, h(ClockChoice, {}), h(NotifyChoice, {}));
}

function ClockChoice() {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return h(
    'div',
    { class: 'field' },
    h('label', { for: 'clock' }, 'Times are shown in'),
    h(
      'select',
      {
        id: 'clock',
        value: preferences.value.clock,
        'aria-describedby': 'clock-note',
        onChange: ({ currentTarget }) => prefer({ clock: currentTarget.value === 'utc' ? 'utc' : 'local' }),
      },
      h('option', { value: 'local' }, `local time (${own})`),
      h('option', { value: 'utc' }, 'UTC'),
    ),
    h('p', { class: 'note', id: 'clock-note' }, 'Schedules keep the time zone that each of them names.'),
  );
}

function NotifyChoice() {
  const refused = useSignal('');
  const isPossible = canNotify();
  /** @param {boolean} wanted */
  const choose = async (wanted) => {
    refused.value = '';
    if (!wanted) return prefer({ notify: false });
    const answer = await Notification.requestPermission();
    if (answer === 'granted') return prefer({ notify: true });
    refused.value = 'The browser does not allow notifications for this page; allow them in its settings first.';
  };
  return h(
    'div',
    { class: 'field' },
    h(
      'div',
      { class: 'check' },
      h('input', {
        id: 'notify',
        type: 'checkbox',
        checked: preferences.value.notify,
        disabled: !isPossible,
        'aria-describedby': 'notify-note',
        onChange: async ({ currentTarget }) => {
          await choose(currentTarget.checked);
          currentTarget.checked = preferences.peek().notify;
        },
      }),
      h('label', { for: 'notify' }, 'Notify me when an import of more than a minute ends'),
    ),
    h(
      'p',
      { class: 'note', id: 'notify-note' },
      isPossible
        ? 'While rollcall is open in a tab that you are not looking at.'
        : 'Browsers allow this only over https, or on the machine that runs the server.',
    ),
    h('p', { class: 'error', role: 'alert' }, refused.value),
  );
}
