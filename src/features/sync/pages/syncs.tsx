import { Badge, Card, foreign, syncHref, Tag } from '../../../console/element.tsx';
import type { Choice } from '../../../console/form.tsx';
import { settings } from '../../../console/frame.tsx';
import { useListNews } from '../../../console/overview.ts';
import { usePlace } from '../../../console/place.ts';
import type { SyncEntry } from '../../../console/sync-answers.ts';
import {
  CHANGES,
  countsSentence,
  modeWords,
  SYNC_STATE_GROUPS,
  SYNC_TONES,
  titleOf,
} from '../../../console/sync-words.ts';
import type { Column } from '../../../console/table.tsx';
import { Time } from '../../../console/time.tsx';
import { useFilteredList } from '../../../console/view/filtered-list.tsx';
import { NewSync } from './new-sync.tsx';

export function SyncsPage() {
  const { isOperator } = usePlace();
  return (
    <>
      <h1>Syncs</h1>
      <p class="lead">
        A sync makes groups match a file. It first makes a plan. Nothing is sent until you apply the plan, unless you
        choose to apply it at once.
      </p>
      {isOperator && <NewSync />}
      <Card id="all" title="All syncs">
        <p>
          <a href="/syncs/compare">Compare two syncs</a>
        </p>
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
    cell: ({ id, file, undoOf, importId, sandbox, schedule }) => (
      <>
        <a href={syncHref(id)}>{foreign(titleOf({ file, undoOf }))}</a>
        {schedule !== null && <Tag>{foreign(schedule)}</Tag>}
        {importId !== null && syncs.some((one) => one.undoOf === importId && one.state === 'applied') && (
          <Tag>undone</Tag>
        )}
        {sandbox && settings.value?.sandbox !== true && <Tag>sandbox</Tag>}
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
  { label: 'How', cell: (sync) => modeWords(sync) },
  { label: 'Started', cell: ({ createdAt }) => <Time iso={createdAt} /> },
];

function SyncsList() {
  return useFilteredList({
    path: '/v1/syncs',
    name: 'syncs',
    choices: STATES,
    caption: 'Syncs, newest first',
    columns: columnsOf,
    emptyText,
    useNews: (pages) => useListNews(['sync', 'removed'], pages.follow),
  });
}

function emptyText(isFiltered: boolean, mayUpload: boolean) {
  if (isFiltered) return 'No syncs match this filter.';
  return mayUpload
    ? 'No syncs yet. Choose a file above to plan the first one.'
    : 'No syncs yet. An operator can start one.';
}
