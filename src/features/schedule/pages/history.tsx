/** The results of a schedule's runs. */

import { useEffect, useMemo } from 'preact/hooks';
import type { RunState, Tone } from '../../../console/answers.ts';
import { type Column, DataTable } from '../../../console/data-table.tsx';
import { Badge, Empty, foreign, Pending, syncHref, TimeIn } from '../../../console/elements.tsx';
import { requestsOf } from '../../../console/requests.ts';
import { CHANGES, countsSentence } from '../../../console/sync-words.ts';
import { useAnswer } from '../../../console/use-answer.ts';
import type { ScheduleView as Schedule, ScheduleRunView as ScheduleRun } from '../api.ts';
import type { scheduleOperations } from '../operations.ts';

const schedules = requestsOf<typeof scheduleOperations>();

const SHOWN = 100;

export const RUN_TONES: Readonly<Record<RunState, Tone>> = {
  running: 'busy',
  ran: 'good',
  'skipped-unchanged': 'still',
  waiting: 'attention',
  'skipped-running': 'attention',
  missed: 'attention',
  failed: 'attention',
};

export function ScheduleHistory({ schedule }: { schedule: Schedule }) {
  const { name, tz } = schedule;
  const path = schedules.addressOf('GET /v1/schedules/:name/history', { name, query: { limit: SHOWN } });
  const { data, error, reload } = useAnswer(path);
  // The list is asked for again and again; its news are the history's.
  useEffect(() => void reload(), [schedule]);
  const columns = useMemo(() => runColumns(tz), [tz]);
  if (error !== undefined || data === undefined) return <Pending error={error} />;
  if (data.runs.length === 0) return <Empty>It has not run yet.</Empty>;
  return (
    <DataTable caption={`Runs of ${name}, newest first`} columns={columns} items={data.runs} keyOf={({ id }) => id} />
  );
}

function runColumns(tz: string): Column<ScheduleRun>[] {
  return [
    { label: 'Due', kind: 'main', cell: ({ dueAt }) => <TimeIn iso={dueAt} tz={tz} /> },
    { label: 'State', cell: ({ state }) => <Badge tone={RUN_TONES[state]}>{state}</Badge> },
    {
      label: 'Plan',
      kind: 'wide',
      cell: ({ sync }) =>
        sync === null ? (
          <span class="soft">–</span>
        ) : (
          <a href={syncHref(sync.id)}>
            {sync.totals === null ? sync.state : countsSentence(sync.totals.actions, CHANGES) || 'nothing to do'}
          </a>
        ),
    },
    { label: 'Result', kind: 'wide', cell: ({ reason }) => foreign(reason) },
    { label: 'Started by', cell: ({ who }) => foreign(who) },
  ];
}
