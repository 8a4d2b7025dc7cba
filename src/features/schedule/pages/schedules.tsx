import cronstrue from 'cronstrue';
import type { Tone } from '../../../console/answers.ts';
import { SandboxTag } from '../../../console/frame.tsx';
import type { ActionButton } from '../../../console/kit/actions.tsx';
import { Badge, Card, Empty, Facts, foreign, syncHref, Tag, Time } from '../../../console/kit/elements.tsx';
import { type Column, List } from '../../../console/kit/list.tsx';
import { usePlace } from '../../../console/place.ts';
import { addressOf, call } from '../../../console/requests.ts';
import { modeWords } from '../../../console/sync-words.ts';
import { useAnswer } from '../../../console/use-answer.ts';
import { CHANGES, countsSentence, mayCreateWords } from '../../../membership/plan-words.ts';
import type { ScheduleEntry as Schedule, ScheduleRun } from '../operations.ts';

/** A cron expression in words; '' where there are none for it. */
export function cronWords(cron: string) {
  try {
    return cronstrue.toString(cron, { use24HourTimeFormat: true });
  } catch {
    return '';
  }
}

type NightState = NonNullable<Schedule['nights'][number]['state']>;

/** A sign beside the tone of each state, so that colour is not the only difference, and what it means. */
const STATES: Readonly<Record<NightState, readonly [sign: string, tone: Tone, meaning: string]>> = {
  running: ['…', 'busy', 'running'],
  ran: ['✓', 'good', 'ran'],
  'skipped-unchanged': ['=', 'still', 'file unchanged'],
  waiting: ['!', 'attention', 'waits for a person'],
  'skipped-running': ['»', 'attention', 'skipped: the run before was not over'],
  missed: ['?', 'attention', 'missed: no server was running'],
  paused: ['‖', 'still', 'paused'],
  failed: ['✗', 'attention', 'failed'],
};

export function Page() {
  const { query, isOperator, go } = usePlace();
  const name = query.get('name') ?? '';
  const { data, error, reload } = useAnswer(addressOf('GET /v1/schedules', {}), { news: ['schedules', 'sync'] });
  const own = data?.schedules.find((schedule) => schedule.name === name);
  return (
    <>
      <div class="title row">
        <div>
          <h1>Schedules</h1>
          <p class="lead">A schedule is a sync that runs at set times.</p>
        </div>
        {isOperator && (
          <a class="button main push" href="/schedules/new">
            New schedule
          </a>
        )}
      </div>
      <Card id="all" title="All schedules">
        <List
          pages={{ items: data?.schedules, error }}
          caption="Schedules by name"
          noun="schedules"
          columns={COLUMNS}
          keyOf={(schedule) => schedule.name}
          actions={(schedule) => ({ ...actionsOf(schedule, go), onDone: reload })}
          empty={`No schedules yet. ${isOperator ? 'Add the first one above.' : 'An operator can add one.'}`}
        />
        {data !== undefined && data.schedules.length > 0 && <Signs />}
      </Card>
      {name !== '' && (
        <Card id="history" title={`History of ${name}`}>
          {own !== undefined && <ScheduleHistory schedule={own} />}
          {own === undefined && data !== undefined && <Empty>There is no such schedule.</Empty>}
        </Card>
      )}
    </>
  );
}

const COLUMNS: Column<Schedule>[] = [
  {
    label: 'Schedule',
    kind: 'main',
    cell: (schedule) => (
      <>
        <a href={historyHref(schedule.name)}>{foreign(schedule.name)}</a>
        {schedule.paused && <Tag>paused</Tag>}
        {!schedule.apply && <Tag>plans only</Tag>}
        <SandboxTag of={schedule} />
      </>
    ),
  },
  { label: 'When', kind: 'wide', cell: ({ cron }) => cronWords(cron) || <code>{cron}</code> },
  {
    label: 'Next',
    kind: 'wide',
    cell: ({ next, tz }) => (next[0] === undefined ? <span class="soft">none</span> : <Time iso={next[0]} tz={tz} />),
  },
  {
    label: 'Last result',
    kind: 'wide',
    cell: ({ lastRun, tz }) =>
      lastRun === null ? (
        <span class="soft">none yet</span>
      ) : (
        <span title={lastRun.reason}>
          <Badge tone={STATES[lastRun.state][1]}>{lastRun.state}</Badge> <Time iso={lastRun.dueAt} tz={tz} />
        </span>
      ),
  },
  {
    label: 'The last 10 nights',
    kind: 'wide',
    cell: ({ name, nights }) => <Nights name={name} nights={nights.slice(-10)} />,
  },
];

function actionsOf({ name, paused }: Schedule, go: (path: string) => void) {
  const post = (text: string, move: 'pause' | 'resume' | 'run'): ActionButton => ({
    text,
    label: `${text}: ${name}`,
    act: (signal) => call(`POST /v1/schedules/:name/${move}`, { name }, signal),
  });
  const explanation = [
    'The schedule ',
    foreign(name),
    ' and its history will be deleted. Its syncs stay. Memberships do not change.',
  ];
  const further: ActionButton[] = [
    paused ? post('Resume', 'resume') : post('Pause', 'pause'),
    { text: 'Edit', label: `Edit: ${name}`, act: `/schedules/${encodeURIComponent(name)}/edit` },
    {
      text: 'Remove…',
      label: `Remove: ${name}`,
      kind: 'danger',
      question: { question: 'Remove this schedule?', explanation, yes: 'Remove schedule', no: 'Keep it' },
      act: async (signal) => {
        await call('DELETE /v1/schedules/:name', { name }, signal);
        go('/schedules');
      },
    },
  ];
  return { list: [post('Run now', 'run')], menu: { label: `More actions for ${name}`, list: further } };
}

const SHOWN_RUNS = 100;

function ScheduleHistory({ schedule }: { schedule: Schedule }) {
  const { name, tz, file, mode = 'add', missing = 'report', create } = schedule;
  const path = addressOf('GET /v1/schedules/:name/history', { name, query: { limit: SHOWN_RUNS } });
  // The list is asked for again and again; its news are the history's.
  const { data, error } = useAnswer(path, { turn: schedule });
  return (
    <>
      <Facts
        list={[
          ['File', foreign(file)],
          ['How', modeWords({ mode, missing })],
          ['May create', create !== null && mayCreateWords(create)],
          ['Time zone', tz],
          ['The last 30 nights', <Nights name={name} nights={schedule.nights} />],
        ]}
      />
      <List
        pages={{ items: data?.runs, error }}
        caption={`Runs of ${name}, newest first`}
        noun="runs"
        columns={runColumns(tz)}
        keyOf={({ id }) => id}
        empty="It has not run yet."
      />
    </>
  );
}

function runColumns(tz: string): Column<ScheduleRun>[] {
  return [
    { label: 'Due', kind: 'main', cell: ({ dueAt }) => <Time iso={dueAt} tz={tz} /> },
    { label: 'State', cell: ({ state }) => <Badge tone={STATES[state][1]}>{state}</Badge> },
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
    { label: 'Result', kind: 'wide', cell: 'reason' },
    { label: 'Started by', cell: 'who' },
  ];
}

function Signs() {
  return (
    <details>
      <summary>Signs of the nights</summary>
      <ul class="legend row plain">
        {Object.entries(STATES).map(([state, [sign, tone, meaning]]) => (
          <li key={state}>
            <span class={`night ${tone}`} aria-hidden>
              {sign}
            </span>{' '}
            {meaning}
          </li>
        ))}
      </ul>
    </details>
  );
}

function Nights({ name, nights }: Pick<Schedule, 'name' | 'nights'>) {
  return (
    <div class="nights">
      {nights.map(({ day, state, reason, sync, runs }) => {
        if (state === null) return <span key={day} class="night none" />;
        const [sign, tone, meaning] = STATES[state];
        const said = [
          `${name}, ${DAY_NAME.format(Date.parse(day))}: ${meaning}`,
          ...(runs > 1 ? [`the last of ${runs} runs`] : []),
          reason,
        ].join('; ');
        const href = sync === null ? historyHref(name) : syncHref(sync);
        return (
          <a key={day} class={`night ${tone}`} href={href} aria-label={said} title={said}>
            {sign}
          </a>
        );
      })}
    </div>
  );
}

function historyHref(name: string) {
  return `/schedules?name=${encodeURIComponent(name)}#history`;
}

const DAY_NAME = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
