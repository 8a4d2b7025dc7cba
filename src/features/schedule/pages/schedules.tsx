/** Syncs that begin by themselves: when, what came of them last, and what came of each night. */
import { useMemo } from 'preact/hooks';
import { useAnswer } from '../../../console/answer.ts';
import { cronWords } from '../../../console/cron-words.ts';
import { Badge, Card, Empty, foreign, syncHref, Tag } from '../../../console/element.tsx';
import { ErrorNotice } from '../../../console/notice.tsx';
import { useListNews } from '../../../console/overview.ts';
import { usePlace } from '../../../console/place.ts';
import { mayCreateWords, modeWords } from '../../../console/sync-words.ts';
import { type Column, DataTable } from '../../../console/table.tsx';
import { TimeIn } from '../../../console/time.tsx';
import type { ScheduleView as Schedule } from '../api.ts';
import { ScheduleActions } from './actions.tsx';
import { RUN_TONES, ScheduleHistory } from './history.tsx';
import { Nights } from './nights.tsx';

export function SchedulesPage() {
  const { query, isOperator } = usePlace();
  const name = query.get('name') ?? '';
  const { data, error, reload } = useAnswer<{ schedules: Schedule[] }>('/v1/schedules');
  useListNews(['schedules', 'sync'], () => void reload());
  const columns = useMemo(() => (isOperator ? [...COLUMNS, actionsColumn(reload)] : COLUMNS), []);
  const own = data?.schedules.find((schedule) => schedule.name === name);
  return (
    <>
      <h1>Schedules</h1>
      <p class="lead">A schedule is a sync that runs at set times.</p>
      {isOperator && (
        <p>
          <a class="button main" href="/schedules/new">
            New schedule
          </a>
        </p>
      )}
      <Card id="all" title="All schedules">
        {error !== undefined ? (
          <ErrorNotice error={error} />
        ) : data === undefined ? (
          <Empty>Loading …</Empty>
        ) : data.schedules.length === 0 ? (
          <NoSchedules />
        ) : (
          <DataTable
            caption="Schedules by name"
            columns={columns}
            items={data.schedules}
            keyOf={(schedule) => schedule.name}
          />
        )}
      </Card>
      {data !== undefined && data.schedules.length > 0 && (
        <Card id="nights" title="The last 30 nights">
          <Nights schedules={data.schedules} />
        </Card>
      )}
      {name !== '' && (
        <Card id="history" title={`History of ${name}`}>
          {own === undefined ? (
            data !== undefined && <Empty>There is no such schedule.</Empty>
          ) : (
            <ScheduleHistory schedule={own} />
          )}
        </Card>
      )}
    </>
  );
}

function NoSchedules() {
  const { isOperator } = usePlace();
  return <Empty>No schedules yet. {isOperator ? 'Add the first one above.' : 'An operator can add one.'}</Empty>;
}

function actionsColumn(reload: () => Promise<void>): Column<Schedule> {
  return {
    label: 'Actions',
    kind: 'wide',
    cell: ({ name, paused }) => <ScheduleActions name={name} paused={paused} onDone={reload} />,
  };
}

const COLUMNS: Column<Schedule>[] = [
  {
    label: 'Schedule',
    kind: 'main',
    cell: ({ name, paused, sandbox, apply }) => (
      <>
        <a href={`/schedules?name=${encodeURIComponent(name)}#history`}>{foreign(name)}</a>
        {paused && <Tag>paused</Tag>}
        {!apply && <Tag>plans only</Tag>}
        {sandbox && <Tag>sandbox</Tag>}
      </>
    ),
  },
  {
    label: 'When',
    kind: 'wide',
    cell: ({ cron, tz }) => (
      <>
        {cronWords(cron) || <code>{cron}</code>}
        <p class="note">{tz}</p>
      </>
    ),
  },
  {
    label: 'File',
    kind: 'wide',
    cell: ({ file, flags, create }) => (
      <>
        {foreign(file)}
        <p class="note">{modeWords(flags)}</p>
        {create !== null && <p class="note">may create {mayCreateWords(create)}</p>}
      </>
    ),
  },
  {
    label: 'Next',
    kind: 'wide',
    cell: ({ next, tz }) => (next[0] === undefined ? <span class="soft">none</span> : <TimeIn iso={next[0]} tz={tz} />),
  },
  {
    label: 'Last result',
    kind: 'wide',
    cell: ({ lastRun, tz }) =>
      lastRun === null ? (
        <span class="soft">none yet</span>
      ) : (
        <>
          <Badge tone={RUN_TONES[lastRun.state]}>{lastRun.state}</Badge> <TimeIn iso={lastRun.dueAt} tz={tz} />
          <p class="note">{foreign(lastRun.reason)}</p>
          {lastRun.sync !== null && <a href={syncHref(lastRun.sync.id)}>Its sync</a>}
        </>
      ),
  },
];
