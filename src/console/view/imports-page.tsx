/** All imports: found by what is known of them, followed while they run, and acted on several at a time. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { sumOfOutcomes } from '../../membership/outcome.ts';
import { counted, duration, grouped } from '../../text/wording.ts';
import type { ImportView } from '../answers.ts';
import { announce, settings } from '../frame.tsx';
import {
  fileName,
  inPlace,
  isDryRun,
  isUndo,
  isUndone,
  leftToDo,
  STATE_GROUPS,
  stateLabel,
  stateTone,
} from '../import-words.ts';
import type { Column } from '../kit/data-table.tsx';
import { Badge, Card, foreign, importHref, Tag, Time, tagHref } from '../kit/elements.tsx';
import {
  DayFilter,
  daysAsked,
  FilterBar,
  type Filter as FilterOf,
  TypedFilter,
  useFilter,
} from '../kit/filter-fields.tsx';
import { type Choice, FilterChoice } from '../kit/form.tsx';
import { OutcomeBar } from '../kit/outcome-bar.tsx';
import { PagedTable } from '../kit/paged-table.tsx';
import { onListEvents } from '../live-overview.ts';
import { usePlace } from '../place.ts';
import { addressOf } from '../requests.ts';
import { type Pages, usePages } from '../use-answer.ts';
import { BulkBar, ChooseBox, type Chosen } from './bulk-bar.tsx';
import { NewImport } from './new-import.tsx';

const PAGE = 50;
/** Delay after a new import before the server is asked whether it matches, in ms: only the server may know. */
const NEWS_MS = 1000;

export function ImportsPage() {
  const { isOperator } = usePlace();
  return (
    <>
      <h1>Imports</h1>
      {isOperator && <NewImport />}
      <Card id="all" title="All imports">
        <ImportsList />
      </Card>
    </>
  );
}

function ImportsList() {
  const { isOperator } = usePlace();
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const filter = useFilter(NAMES, () => {
    chosen.value = new Set();
  });
  const pages = usePages(addressOf('GET /v1/imports', { query: daysAsked(filter.values) }), {
    name: 'imports',
    limit: PAGE,
  });
  useListEvents(pages, filter.values);
  const columns = useMemo(() => (isOperator ? [chooseColumn(chosen), ...COLUMNS] : COLUMNS), [isOperator]);
  return (
    <>
      <ListFilter filter={filter} />
      {isOperator && <BulkBar items={pages.items ?? []} chosen={chosen} onDone={() => pages.refresh()} />}
      <PagedTable
        pages={pages}
        step={PAGE}
        caption="Imports, newest first"
        columns={columns}
        keyOf={({ id }) => id}
        place="imports"
        empty={emptyText(filter.isSet, isOperator)}
      />
    </>
  );
}

function chooseColumn(chosen: Chosen): Column<ImportView> {
  return { label: 'Select', kind: 'choose', cell: (view) => <ChooseBox view={view} chosen={chosen} /> };
}

/** Keeps the list up to date by events. */
function useListEvents(pages: Pages<ImportView>, filter: Filter['values']) {
  const latest = useRef({ pages, filter });
  latest.current = { pages, filter };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refreshSoon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void latest.current.pages.refresh();
      }, NEWS_MS);
    };
    const end = onListEvents(
      {
        imports: ({ imports }) =>
          latest.current.pages.edit((items) =>
            imports.reduce((all, view) => merged(all, view, latest.current.filter, refreshSoon), items),
          ),
        removed: ({ id }) => latest.current.pages.edit((items) => items.filter((view) => view.id !== id)),
        sync: (sync) => isUndo(sync) && sync.state === 'applied' && refreshSoon(),
      },
      () => void latest.current.pages.refresh(),
    );
    return () => {
      clearTimeout(timer);
      end();
    };
  }, []);
}

function merged(
  items: readonly ImportView[],
  view: ImportView,
  { state = '', ...others }: Filter['values'],
  refreshSoon: () => void,
) {
  const before = items.find(({ id }) => id === view.id);
  if (before !== undefined && before.state !== view.state)
    announce(`${fileName(view.file)}: ${stateLabel(view)}`, view.id);
  const isWanted = state === '' || state.split(',').includes(view.state);
  if (before !== undefined) {
    return isWanted ? items.map((one) => (one === before ? view : one)) : items.filter((one) => one !== before);
  }
  const isNew = isWanted && view.createdAt >= (items[0]?.createdAt ?? '');
  if (isNew && Object.keys(others).length > 0) refreshSoon();
  return isNew && Object.keys(others).length === 0 ? [view, ...items] : items;
}

function emptyText(isFiltered: boolean, mayUpload: boolean) {
  if (isFiltered) return 'No imports match this filter.';
  return mayUpload
    ? 'No imports yet. Choose a file above to start the first one.'
    : 'No imports yet. An operator can start one.';
}

/** Names of the filter's parts, as the address of the page has them. */
const NAMES = ['search', 'state', 'kind', 'problems', 'from', 'to', 'createdBy', 'tags'] as const;

type Filter = FilterOf<(typeof NAMES)[number]>;

const STATES: Choice[] = [
  ['', 'all'],
  ...Object.entries(STATE_GROUPS).map(([name, states]) => [states.join(','), name] as const),
];

const KINDS: Choice[] = [
  ['', 'all'],
  ['file', 'files'],
  ['retry', 'retries'],
  ['sync', 'syncs'],
  ['undo', 'undos'],
];

const PROBLEMS: Choice[] = [
  ['', 'all'],
  ['true', 'only with problems'],
];

function ListFilter({ filter }: { filter: Filter }) {
  const { chosen, typed } = filter;
  return (
    <FilterBar filter={filter} label="Filter imports" placeholder="name, id, reason or tag">
      <FilterChoice id="states" label="State" choices={STATES} {...chosen('state')} />
      <FilterChoice id="kinds" label="Kind" choices={KINDS} {...chosen('kind')} />
      <FilterChoice id="problems-only" label="Problems" choices={PROBLEMS} {...chosen('problems')} />
      <DayFilter id="from" label="From" {...typed('from')} />
      <DayFilter id="to" label="To" {...typed('to')} />
      <TypedFilter id="by" label="Started by" placeholder="whole name" {...typed('createdBy')} />
      <TypedFilter id="tags" label="Tags" placeholder="choir, term 1" {...typed('tags')} />
    </FilterBar>
  );
}

/** Shows the origin of an import, and its fate, in words beside its name. */
export function KindTag({ view }: { view: ImportView }) {
  return (
    <>
      {view.kind !== 'file' && <Tag>{view.kind}</Tag>}
      {isDryRun(view) && <Tag>dry run</Tag>}
      {view.followUps.some(isUndone) && <Tag>undone</Tag>}
      {/* If the whole server sends to a sandbox, the head says so once. */}
      {view.sandbox && settings.value?.sandbox !== true && <Tag>sandbox</Tag>}
    </>
  );
}

const COLUMNS: Column<ImportView>[] = [
  {
    label: 'File',
    kind: 'main',
    cell: (view) => (
      <>
        <a href={importHref(view.id)}>{foreign(fileName(view.file))}</a>
        <KindTag view={view} />
        {view.tags.length > 0 && (
          <span class="own-tags">
            {view.tags.map((tag) => (
              <a key={tag} class="tag own" href={tagHref(tag)}>
                {foreign(tag)}
              </a>
            ))}
          </span>
        )}
      </>
    ),
  },
  { label: 'State', cell: (view) => <Badge tone={stateTone(view)}>{stateLabel(view)}</Badge> },
  { label: 'Progress', kind: 'wide', cell: progressOf },
  { label: 'Succeeded', kind: 'number', cell: ({ rows }) => grouped(inPlace(rows)) },
  {
    label: 'Need attention',
    kind: 'number',
    cell: (view) => <span class={leftToDo(view) > 0 ? 'attention' : 'soft'}>{grouped(leftToDo(view))}</span>,
  },
  {
    label: 'Created',
    cell: ({ createdAt, createdBy }) => (
      <>
        <Time iso={createdAt} />
        {createdBy !== '' && <span class="soft"> by {foreign(createdBy)}</span>}
      </>
    ),
  },
  {
    label: 'Took',
    kind: 'number',
    cell: ({ startedAt, finishedAt }) =>
      startedAt !== null && finishedAt !== null ? duration(Date.parse(finishedAt) - Date.parse(startedAt)) : '–',
  },
];

function progressOf({ rows, staging, finishedAt }: ImportView) {
  if (staging !== null) return <span class="soft">{counted(staging.rows, 'row')} read</span>;
  if (rows.read === 0) return <span class="soft">–</span>;
  const text =
    finishedAt === null ? `${grouped(sumOfOutcomes(rows))} of ${counted(rows.read, 'row')}` : counted(rows.read, 'row');
  return (
    <div class="progress">
      <OutcomeBar name="Rows by outcome" rows={rows} />
      <span class="soft">{text}</span>
    </div>
  );
}
