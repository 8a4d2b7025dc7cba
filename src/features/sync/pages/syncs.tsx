import { useSignal } from '@preact/signals';
import type { SyncEntry } from '../../../console/answers.ts';
import { type Column, DataTable } from '../../../console/data-table.tsx';
import { Badge, Card, Empty, foreign, Pending, syncHref, Tag, Time } from '../../../console/elements.tsx';
import { type Choice, FilterChoice } from '../../../console/form.tsx';
import { settings } from '../../../console/frame.tsx';
import { useEntry } from '../../../console/kept-entries.ts';
import { useKeptPages } from '../../../console/kept-pages.ts';
import { useListNews } from '../../../console/live-overview.ts';
import { keepInAddress, usePlace } from '../../../console/place.ts';
import { query } from '../../../console/requests.ts';
import {
  CHANGES,
  countsSentence,
  modeWords,
  SYNC_STATE_GROUPS,
  SYNC_TONES,
  titleOf,
} from '../../../console/sync-words.ts';
import type { Pages } from '../../../console/use-answer.ts';
import { CREATING, Creating, creatingField, creatingOptions } from '../../../console/view/upload/creating-fields.tsx';
import { ReportPlace } from '../../../console/view/upload/reading-fields.tsx';
import { READING, SHAPING } from '../../../console/view/upload/shape-form.ts';
import { UploadEntry } from '../../../console/view/upload/upload-entry.ts';
import { UploadForm } from '../../../console/view/upload-form.tsx';
import { GuardLimits, limitsIn, PLAN, planChecks, planFields } from './plan-fields.tsx';

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

/** Options that are called as the server calls them. */
const OWN = [...Object.keys(PLAN), 'reportTo'];

const PLACE = 'new sync';
const FORM = { ...READING, ...SHAPING, ...CREATING, ...PLAN, reportTo: '' };

function NewSync() {
  const entry = useEntry(PLACE, () => new UploadEntry(PLACE, FORM));
  const { form } = entry;
  const mirrors = form.get('mode') === 'mirror';
  return (
    <UploadForm
      title="New sync"
      path="/v1/syncs"
      entry={entry}
      toQuery={({ missing = '', ...values }) => ({
        ...Object.fromEntries(OWN.map((name) => [name, values[name] ?? ''])),
        ...(mirrors && { missing }),
        ...creatingOptions(values),
        ...Object.fromEntries(limitsIn(values).map(([name, value]) => [`limit.${name}`, value])),
      })}
      fieldOf={(name) => creatingField(name.replace(/^limit\./, 'limits.'), form)}
      label={form.get('apply') === 'true' ? 'Plan and apply' : 'Create plan'}
      hrefOf={syncHref}
      own={(preview) => (
        <>
          <Creating form={form} preview={preview} above="the plan is held" />
          <fieldset>
            <legend>The plan</legend>
            <div class="fields">
              {planFields(form)}
              <ReportPlace form={form} />
              {planChecks(form)}
            </div>
            <GuardLimits form={form} />
          </fieldset>
        </>
      )}
    />
  );
}

const PAGE = 50;

interface FilteredListList<Item extends { id: string }> {
  /** Path in the API. */
  path: string;
  /** Name of the items in its answer. */
  name: string;
  /** States that are shown, separated by commas; '' for all. */
  choices: Choice[];
  caption: string;
  columns: (items: readonly Item[]) => Column<Item>[];
  emptyText: (isFiltered: boolean, mayUpload: boolean) => string;
  /** Keeps it up to date. */
  useNews: (pages: Pages<Item>, states: string) => void;
}

function useFilteredList<Item extends { id: string }>({
  path,
  name,
  choices,
  caption,
  columns,
  emptyText,
  useNews,
}: FilteredListList<Item>) {
  const { query: initial, isOperator } = usePlace();
  const states = useSignal(initial.get('state') ?? '');
  const pages = useKeptPages<Item>(`${path}${query({ state: states.value })}`, { name, limit: PAGE });
  useNews(pages, states.value);
  const { items, isOld, hasMore, error } = pages;
  return (
    <>
      <div class="filter">
        <FilterChoice
          id="states"
          label="State"
          value={states.value}
          choices={choices}
          onChoose={(value) => {
            states.value = value;
            keepInAddress(query({ state: value }));
          }}
        />
      </div>
      {error !== undefined || items === undefined ? (
        <Pending error={error} />
      ) : items.length === 0 ? (
        <Empty>{isOld ? 'Searching …' : emptyText(states.value !== '', isOperator)}</Empty>
      ) : (
        <DataTable caption={caption} columns={columns(items)} items={items} keyOf={({ id }) => id} />
      )}
      {hasMore && (
        <button type="button" onClick={() => void pages.more()}>
          Show {PAGE} more
        </button>
      )}
    </>
  );
}
