/** The actions for a schedule. */
import { callsOf } from '../../../console/api.ts';
import { confirmed } from '../../../console/dialog.tsx';
import { foreign } from '../../../console/element.tsx';
import { ErrorPlace } from '../../../console/notice.tsx';
import { usePlace } from '../../../console/place.ts';
import { useWork, WorkButton } from '../../../console/work.tsx';
import type { scheduleOperations } from '../operations.ts';

const call = callsOf<(typeof scheduleOperations)[keyof typeof scheduleOperations]>();

interface ScheduleActionsProperties {
  name: string;
  paused: boolean;
  /** The schedule has changed. */
  onDone: () => Promise<void>;
}

export function ScheduleActions({ name, paused, onDone }: ScheduleActionsProperties) {
  const { go } = usePlace();
  const work = useWork();
  const post = (move: 'pause' | 'resume' | 'run') =>
    work.start(async (signal) => {
      await call(`POST /v1/schedules/:name/${move}`, { name }, signal);
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
      await call('DELETE /v1/schedules/:name', { name }, signal);
      go('/schedules');
    });
  };
  const buttons: readonly (readonly [label: string, kind: string, onClick: () => void])[] = [
    ['Run now', '', () => void post('run')],
    paused ? ['Resume', '', () => void post('resume')] : ['Pause', '', () => void post('pause')],
  ];
  return (
    <div class="schedule-actions">
      <div class="buttons">
        {buttons.map(([label, kind, onClick], index) => (
          <WorkButton key={index} busy={work.busy} kind={kind} label={`${label}: ${name}`} onClick={onClick}>
            {label}
          </WorkButton>
        ))}
        <a class="button" href={`/schedules/${encodeURIComponent(name)}/edit`} aria-label={`Edit: ${name}`}>
          Edit
        </a>
        <a class="button" href={`/schedules/new?copy=${encodeURIComponent(name)}`} aria-label={`Copy: ${name}`}>
          Copy
        </a>
        <WorkButton busy={work.busy} kind="danger quiet" label={`Remove: ${name}`} onClick={() => void remove()}>
          Remove…
        </WorkButton>
      </div>
      <ErrorPlace error={work.error} />
    </div>
  );
}
