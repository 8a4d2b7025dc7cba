import type { SyncEntry } from '../../../console/answers.ts';
import { SandboxTag } from '../../../console/frame.tsx';
import { Badge, Card, foreign, syncHref, Tag } from '../../../console/kit/elements.tsx';
import { useFilter } from '../../../console/kit/filter.tsx';
import type { Choice } from '../../../console/kit/form.tsx';
import { type Column, List } from '../../../console/kit/list.tsx';
import { usePlace } from '../../../console/place.ts';
import { addressOf } from '../../../console/requests.ts';
import { modeWords, SYNC_STATE_GROUPS, SYNC_TONES, titleOf } from '../../../console/sync-words.ts';
import { usePages } from '../../../console/use-answer.ts';
import { NewFileCard } from '../../../console/view/upload/file-choice.tsx';
import { CHANGES, countsSentence } from '../../../membership/plan-words.ts';
import { SYNC } from './new-sync.tsx';
import { isReversed } from './sync-actions.tsx';

export function Page() {
  const { isOperator } = usePlace();
  return (
    <>
      <h1>Syncs</h1>
      <p class="lead">
        A sync makes groups match a file. It first makes a plan. Nothing is sent until you apply the plan, unless you
        choose to apply it at once. <a href="/ending">Memberships that end</a> are removed by a sync, too.
      </p>
      {isOperator && <NewFileCard kind={SYNC} />}
      <Card id="all" title="All syncs">
        <SyncsList />
      </Card>
    </>
  );
}

const STATES: Choice[] = [
  ['', 'all'],
  ...Object.entries(SYNC_STATE_GROUPS).map(([name, states]) => [states.join(','), name] as const),
];

/** @param syncs the newest first: an undo is among them where what it undid is */
const columnsOf = (syncs: readonly SyncEntry[]): Column<SyncEntry>[] => [
  {
    label: 'File',
    kind: 'main',
    cell: (sync) => (
      <>
        <a href={syncHref(sync.id)}>{foreign(titleOf(sync))}</a>
        {sync.schedule !== null && <Tag>{foreign(sync.schedule)}</Tag>}
        {isReversed(sync, syncs) && <Tag>undone</Tag>}
        <SandboxTag of={sync} />
      </>
    ),
  },
  { label: 'State', cell: ({ state }) => <Badge tone={SYNC_TONES[state]}>{state}</Badge> },
  {
    label: 'Plan',
    kind: 'wide',
    cell: ({ totals }) =>
      totals === null ? (
        <span class="soft">–</span>
      ) : (
        countsSentence(totals.actions, [...CHANGES, 'report']) || 'nothing to do'
      ),
  },
  { label: 'How', cell: modeWords },
  { label: 'Started', kind: 'time', cell: 'createdAt' },
];

const CONDITIONS = { state: { label: 'State', choices: STATES } };

function SyncsList() {
  const { isOperator } = usePlace();
  const filter = useFilter(CONDITIONS);
  const pages = usePages(addressOf('GET /v1/syncs', { query: filter.values }), {
    name: 'syncs',
    news: ['sync', 'removed'],
  });
  return (
    <List
      pages={pages}
      filter={filter}
      caption="Syncs, newest first"
      noun="syncs"
      columns={columnsOf(pages.shown.items ?? [])}
      keyOf={({ id }) => id}
      empty={`No syncs yet. ${isOperator ? 'Choose a file above to plan the first one.' : 'An operator can start one.'}`}
    />
  );
}
