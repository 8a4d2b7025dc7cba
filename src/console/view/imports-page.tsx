/** All imports: found by what is known of them, followed while they run, and acted on several at a time. */

import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { sumOfOutcomes } from '../../membership/outcome.ts';
import { counted, duration, grouped } from '../../text/wording.ts';
import type { ImportView } from '../answers.ts';
import { settings } from '../frame.tsx';
import {
  fileName,
  inPlace,
  isDryRun,
  isUndone,
  leftToDo,
  STATE_GROUPS,
  stateLabel,
  stateTone,
} from '../import-words.ts';
import { announce } from '../kit/actions.tsx';
import { Badge, Card, foreign, importHref, OutcomeBar, Tag, Time, tagHref } from '../kit/elements.tsx';
import { daysAsked, FilterBar, useFilter } from '../kit/filter.tsx';
import { type Choice, useChange } from '../kit/form.tsx';
import { type Column, List } from '../kit/list.tsx';
import { onListEvents } from '../live.ts';
import { usePlace } from '../place.ts';
import { addressOf } from '../requests.ts';
import { usePages } from '../use-answer.ts';
import { BulkBar, ChooseBox, type Chosen } from './bulk-bar.tsx';
import { NewImport } from './new-import.tsx';
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
  const filter = useFilter(CONDITIONS);
  const path = addressOf('GET /v1/imports', { query: daysAsked(filter.values) });
  const pages = usePages(path, { name: 'imports', news: ['imports', 'removed', 'sync'] });
  useChange(path, () => {
    chosen.value = new Set();
  });
  useAnnounced(pages.items);
  const columns = useMemo(() => (isOperator ? [chooseColumn(chosen), ...COLUMNS] : COLUMNS), [isOperator]);
  return (
    <>
      <FilterBar filter={filter} label="Filter imports" />
      {isOperator && <BulkBar items={pages.items ?? []} chosen={chosen} onDone={() => pages.refresh()} />}
      <div class="imports">
        <List
          pages={pages}
          caption="Imports, newest first"
          columns={columns}
          keyOf={({ id }) => id}
          empty={emptyText(filter.isSet, isOperator)}
        />
      </div>
    </>
  );
}

/** Says aloud which of the imports are in another state, also where the filter has them no more. */
function useAnnounced(items: readonly ImportView[] = []) {
  const states = useRef(new Map<string, string>());
  useEffect(() => {
    for (const { id, state } of items) states.current.set(id, state);
  }, [items]);
  useEffect(() => {
    const hear = (view: ImportView) => {
      const before = states.current.get(view.id);
      if (before === undefined || before === view.state) return;
      states.current.set(view.id, view.state);
      announce(`${fileName(view.file)}: ${stateLabel(view)}`, view.id);
    };
    return onListEvents({ imports: ({ imports }) => imports.forEach(hear) }, () => undefined);
  }, []);
}

function chooseColumn(chosen: Chosen): Column<ImportView> {
  return { label: 'Select', kind: 'choose', cell: (view) => <ChooseBox view={view} chosen={chosen} /> };
}

function emptyText(isFiltered: boolean, mayUpload: boolean) {
  if (isFiltered) return 'No imports match this filter.';
  return mayUpload
    ? 'No imports yet. Choose a file above to start the first one.'
    : 'No imports yet. An operator can start one.';
}

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

const CONDITIONS = {
  search: { label: 'Search', placeholder: 'name, id, reason or tag' },
  state: { label: 'State', choices: STATES },
  kind: { label: 'Kind', choices: KINDS },
  problems: { label: 'Problems', choices: PROBLEMS },
  from: { label: 'From', isDay: true },
  to: { label: 'To', isDay: true },
  createdBy: { label: 'Started by', placeholder: 'whole name' },
  tags: { label: 'Tags', placeholder: 'choir, term 1' },
};

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
