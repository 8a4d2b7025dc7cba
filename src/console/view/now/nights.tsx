/** The last run of each schedule. */
import type { Night } from '../../answers.ts';
import { Badge, foreign, syncHref } from '../../element.tsx';
import { grouped } from '../../format.ts';
import { type Column, DataTable } from '../../table.tsx';
import { Time, TimeIn } from '../../time.tsx';

const RESULTS: Readonly<Record<Night['result'], readonly ['busy' | 'still' | 'good' | 'attention', string]>> = {
  ok: ['good', 'ok'],
  running: ['busy', 'running'],
  waits: ['attention', 'waits for you'],
  failed: ['attention', 'failed'],
  missed: ['attention', 'missed'],
  rejected: ['still', 'rejected'],
  none: ['still', 'not run yet'],
};

const COLUMNS: Column<Night>[] = [
  {
    label: 'Schedule',
    kind: 'main',
    cell: ({ name, paused }) => (
      <>
        <a href="/schedules">{foreign(name)}</a>
        {paused && <span class="tag">paused</span>}
      </>
    ),
  },
  {
    label: 'Result',
    cell: ({ result, unsuccessful }) => (
      <>
        <Badge tone={RESULTS[result][0]}>{RESULTS[result][1]}</Badge>
        {unsuccessful > 1 && <span class="soft"> {grouped(unsuccessful)} in a row</span>}
      </>
    ),
  },
  {
    label: 'Last run',
    cell: ({ run }) =>
      run === null ? (
        '–'
      ) : run.sync === null ? (
        <Time iso={run.at} />
      ) : (
        <a href={syncHref(run.sync.id)}>
          <Time iso={run.at} />
        </a>
      ),
  },
  {
    label: 'Next run',
    cell: ({ next, tz }) =>
      next === null ? (
        '–'
      ) : (
        <>
          <TimeIn iso={next} tz={tz} />
          <span class="soft"> {tz}</span>
        </>
      ),
  },
];

export function Nights({ nights }: { nights: readonly Night[] }) {
  return (
    <DataTable caption="The last run of each schedule" columns={COLUMNS} items={nights} keyOf={({ name }) => name} />
  );
}

/** Returns the reason why a run did not succeed, as a sentence. */
export function nightSentence({ result, run }: Night) {
  if (result === 'missed' && run?.state === 'skipped-running')
    return 'The last run was skipped: the one before was not over.';
  if (result === 'missed') return 'The last run was missed: no server was running at its time.';
  const reason = run?.reason ?? '';
  return reason === '' ? 'The last run failed.' : `The last run failed: ${reason}.`;
}
