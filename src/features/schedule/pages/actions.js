/** What can be done with a schedule. */
import { request } from '../../../console/api.js';
import { confirmed } from '../../../console/dialog.js';
import { foreign, h } from '../../../console/element.js';
import { ErrorPlace } from '../../../console/notice.js';
import { usePlace } from '../../../console/place.js';
import { useWork, WorkButton } from '../../../console/work.js';

/** @param {{ name: string, paused: boolean, onDone: () => Promise<void> }} properties `onDone`: the schedule has changed */
export function ScheduleActions({ name, paused, onDone }) {
  const { go } = usePlace();
  const work = useWork();
  const path = `/v1/schedules/${encodeURIComponent(name)}`;
  /** @param {string} move */
  const post = (move) =>
    work.start(async (signal) => {
      await request(`${path}/${move}`, { method: 'POST', signal });
      await onDone();
    });
  const remove = async () => {
    const explanation = [
      'The schedule ',
      foreign(name),
      ' and its history will be deleted. Its syncs stay. Memberships do not change.',
    ];
    if (!(await confirmed({ question: 'Remove this schedule?', explanation, yes: 'Remove schedule', no: 'Keep it' })))
      return;
    await work.start(async (signal) => {
      await request(path, { method: 'DELETE', signal });
      go('/schedules');
    });
  };
  /** @type {readonly (readonly [label: string, kind: string, onClick: () => void])[]} */
  const buttons = [
    ['Run now', '', () => void post('run')],
    paused ? ['Resume', '', () => void post('resume')] : ['Pause', '', () => void post('pause')],
  ];
  return h(
    'div',
    { class: 'schedule-actions' },
    h(
      'div',
      { class: 'buttons' },
      buttons.map(([label, kind, onClick], index) =>
        h(
          WorkButton,
          // "Run now" says nothing by itself.
          { key: index, busy: work.busy, kind, label: `${label}: ${name}`, onClick },
          label,
        ),
      ),
      h(
        'a',
        { class: 'button', href: `/schedules/${encodeURIComponent(name)}/edit`, 'aria-label': `Edit: ${name}` },
        'Edit',
      ),
      h(
        'a',
        { class: 'button', href: `/schedules/new?copy=${encodeURIComponent(name)}`, 'aria-label': `Copy: ${name}` },
        'Copy',
      ),
      h(
        WorkButton,
        { busy: work.busy, kind: 'danger quiet', label: `Remove: ${name}`, onClick: () => void remove() },
        'Remove…',
      ),
    ),
    h(ErrorPlace, { error: work.error }),
  );
}
