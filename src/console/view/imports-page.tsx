/** All imports: found by what is known of them, followed while they run, and acted on several at a time. */

import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { importOperations } from '../../api/imports.ts';
import type { SentFor } from '../../api/operation.ts';
import { sumOfOutcomes } from '../../membership/outcome.ts';
import { counted, grouped, sumOf } from '../../text/wording.ts';
import type { ImportView, SendingPlan } from '../answers.ts';
import { ACTION_LABELS, badgeOf, fileName, inPlace, STATE_GROUPS, took } from '../import-words.ts';
import { Actions, announce, confirmed, useKeptFocus } from '../kit/actions.tsx';
import { Card, foreign, importHref, OutcomeBar, Time } from '../kit/elements.tsx';
import { daysAsked, useFilter } from '../kit/filter.tsx';
import type { Choice } from '../kit/form.tsx';
import { type Column, List } from '../kit/list.tsx';
import { refreshOverview, stageOf } from '../live.ts';
import { saidOf } from '../option-words.ts';
import { usePlace } from '../place.ts';
import { addressOf, call } from '../requests.ts';
import { type Pages, useChange, usePages } from '../use-answer.ts';
import { MANY_ROWS, SumOfPlans } from './import/before-sending.tsx';
import { KindTag, StateBadge, TagLinks } from './import/import-head.tsx';
import { rowsSentBy } from './import/import-rules.ts';
import { questionOf } from './import/ways.tsx';
import { askForTags } from './import-page.tsx';
import { NewFileCard } from './upload/file-choice.tsx';
import { IMPORT } from './upload/upload-entry.ts';
export function Page() {
  const { isOperator } = usePlace();
  return (
    <>
      <h1>Imports</h1>
      {isOperator && <NewFileCard kind={IMPORT} />}
      <Card id="all" title="All imports">
        <ImportsList />
      </Card>
    </>
  );
}

/** Ids of those that are chosen. */
type Chosen = Signal<ReadonlySet<string>>;

/** It is drawn again by itself. */
function ChooseBox({ chosen, view: { id, file } }: { chosen: Chosen; view: ImportView }) {
  return (
    <input
      type="checkbox"
      aria-label={`Select ${fileName(file)} (${id})`}
      checked={chosen.value.has(id)}
      onChange={({ currentTarget }) => {
        const others = [...chosen.peek()].filter((one) => one !== id);
        chosen.value = new Set(currentTarget.checked ? [...others, id] : others);
      }}
    />
  );
}

function ImportsList() {
  const { isOperator } = usePlace();
  const chosen: Chosen = useSignal(new Set());
  const columns = useMemo(() => {
    const cell = (view: ImportView) => <ChooseBox chosen={chosen} view={view} />;
    return isOperator ? [{ label: 'Select', kind: 'choose', cell } as const, ...COLUMNS] : COLUMNS;
  }, [isOperator]);
  const filter = useFilter(CONDITIONS);
  const path = addressOf('GET /v1/imports', { query: daysAsked(filter.values) });
  const heard = useRef(new Map<string, ImportView>()).current;
  const pages: Pages<ImportView> = usePages(path, {
    name: 'imports',
    news: ['imports', 'removed', 'sync'],
    concerns: ({ imports }) => imports === undefined || hasMoved(imports, heard, pages),
  });
  useEffect(() => {
    for (const view of pages.shown.items ?? []) heard.set(view.id, view);
  }, [pages.shown.items]);
  useChange(path, () => {
    chosen.value = new Set();
  });
  return (
    <List
      class="imports"
      pages={pages}
      filter={filter}
      caption="Imports, newest first"
      noun="imports"
      columns={columns}
      keyOf={({ id }) => id}
      empty={`No imports yet. ${isOperator ? 'Choose a file above to start the first one.' : 'An operator can start one.'}`}
    >
      {isOperator && <BulkBar items={pages.shown.items ?? []} chosen={chosen} onDone={() => pages.refresh()} />}
    </List>
  );
}

/**
 * Takes what an event says of imports, and says aloud that one is in another state, also where the filter has it no more.
 * @returns whether the list may have others now
 */
function hasMoved(imports: readonly ImportView[], heard: Map<string, ImportView>, pages: Pages<ImportView>) {
  const latest = new Map(imports.map((view) => [view.id, view]));
  pages.renew((view) => latest.get(view.id) ?? view);
  const moved = imports.filter((view) => {
    const before = heard.get(view.id);
    heard.set(view.id, view);
    if (before !== undefined && before.state !== view.state)
      announce(`${fileName(view.file)}: ${badgeOf(view)[1]}`, view.id);
    return before === undefined || foundBy(before) !== foundBy(view);
  });
  return moved.length > 0;
}

/** The part of an import that changes, and that a filter may ask for. */
function foundBy(view: ImportView) {
  return [stageOf(view), view.reason, view.attention > 0, ...view.tags].join();
}

const STATES: Choice[] = [
  ['', 'all'],
  ...Object.entries(STATE_GROUPS).map(([name, states]) => [states.join(','), name] as const),
];

const CONDITIONS = {
  search: { label: 'Search', placeholder: 'name, id, reason or tag' },
  state: { label: 'State', choices: STATES },
  kind: {
    label: 'Kind',
    choices: [
      ['', 'all'],
      ['file', 'files'],
      ['retry', 'retries'],
      ['sync', 'syncs'],
      ['undo', 'undos'],
    ],
  },
  problems: {
    label: 'Problems',
    choices: [
      ['', 'all'],
      ['true', 'only with problems'],
    ],
  },
  from: { label: 'From', type: 'date' },
  to: { label: 'To', type: 'date' },
  createdBy: { label: 'Started by', placeholder: 'whole name' },
  tags: { label: 'Tags', placeholder: 'choir, term 1' },
} as const;

const COLUMNS: Column<ImportView>[] = [
  {
    label: 'File',
    kind: 'main',
    cell: (view) => (
      <>
        <a href={importHref(view.id)}>{foreign(fileName(view.file))}</a>
        <KindTag view={view} />
        <TagLinks tags={view.tags} />
      </>
    ),
  },
  { label: 'State', cell: (view) => <StateBadge view={view} /> },
  { label: 'Progress', kind: 'wide', cell: progressOf },
  { label: 'Succeeded', kind: 'number', cell: ({ rows }) => grouped(inPlace(rows)) },
  {
    label: 'Need attention',
    kind: 'number',
    // Nobody is asked for rows that a person has cancelled.
    cell: ({ attention, state }) => (
      <span class={attention > 0 && state !== 'cancelled' ? 'attention' : 'soft'}>{grouped(attention)}</span>
    ),
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
    cell: (view) => took(view) ?? '–',
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

const VERBS = [
  ['pause', 'is pausing'],
  ['resume', 'resumed'],
  ['cancel', 'cancelled'],
  ['delete', 'deleted'],
] as const;

/** Asks whether the rows of these imports may be sent; a few are not asked about. */
async function mayBeResumed(views: readonly ImportView[], signal: AbortSignal) {
  const waiting = views.filter(({ actions }) => actions.includes('resume'));
  const open = sumOf(waiting.map((view) => rowsSentBy('resume', view)));
  const failing = sumOf(waiting.map(({ checkedRows }) => checkedRows?.wouldFail ?? 0));
  if (open < MANY_ROWS && failing === 0) return true;
  const plans: SendingPlan[] = [];
  for (const { id } of waiting) plans.push(await call('GET /v1/imports/:id/sending', { id }, signal));
  return confirmed({
    question: `Resume ${counted(waiting.length, 'import')}?`,
    explanation: <SumOfPlans plans={plans} wouldFail={failing} />,
    yes: 'Resume them',
    no: 'Keep them waiting',
    tone: 'main',
  });
}

interface ActionAnswer {
  id: string;
  name: string;
  /** Said where it has no problem. */
  done: string;
  problem?: Parameters<typeof saidOf>[0] | undefined;
}

function BulkBar({ items, chosen, onDone }: { items: readonly ImportView[]; chosen: Chosen; onDone: () => unknown }) {
  const place = useKeptFocus();
  const answers = useSignal<readonly ActionAnswer[]>([]);
  const views = items.filter(({ id }) => chosen.value.has(id));
  const dismissible = views.filter((view) => view.finishedAt !== null && view.attention > 0);

  const send =
    (body: Omit<SentFor<typeof importOperations.act>['body'], 'ids'>, done: string, to = views) =>
    async (signal: AbortSignal) => {
      if (body.action === 'resume' && !(await mayBeResumed(views, signal))) return;
      const names = new Map(to.map(({ id, file }) => [id, fileName(file)]));
      // Without the signal, which ends with the bar: an event takes a deleted import out of the list before its answer comes.
      const { results } = await call('POST /v1/imports/actions', { body: { ids: [...names.keys()], ...body } });
      answers.value = results.map(({ id, problem }) => ({ id, name: names.get(id) ?? id, done, problem }));
      const wrong = results.filter(({ problem }) => problem !== undefined).length;
      announce(`${counted(results.length - wrong, 'import')} done${wrong === 0 ? '' : `, ${wrong} refused`}.`);
      chosen.value = new Set(results.flatMap(({ id, problem }) => (problem === undefined ? [] : [id])));
      refreshOverview();
      await onDone();
    };
  const tag = async (signal: AbortSignal) => {
    const tags = await askForTags(views);
    if (tags !== undefined) await send({ action: 'tag', tags }, 'tagged')(signal);
  };
  const verbs = VERBS.filter(([verb]) => views.some(({ actions }) => actions.includes(verb)));
  return (
    <div ref={place} class="bulk-place">
      {views.length > 0 && (
        <div class="bulk row" role="group" aria-label="Selected imports">
          <b>{views.length} selected</b>
          <Actions
            list={[
              ...verbs.map(([verb, done]) => ({
                text: ACTION_LABELS[verb],
                kind: verb === 'delete' ? 'danger' : '',
                question: questionOf(verb, views),
                act: send({ action: verb }, done),
              })),
              dismissible.length > 0 && {
                text: 'Dismiss',
                act: send({ action: 'dismiss' }, 'dismissed', dismissible),
              },
              { text: 'Tag…', act: tag },
            ]}
          />
          {views.length < items.length && (
            <button type="button" class="quiet" onClick={() => (chosen.value = new Set(items.map(({ id }) => id)))}>
              Select all {items.length} shown
            </button>
          )}
          <button type="button" class="quiet" onClick={() => (chosen.value = new Set())}>
            Select none
          </button>
        </div>
      )}
      {answers.value.length > 0 && <Answers answers={answers.value} onClose={() => (answers.value = [])} />}
    </div>
  );
}

function Answers({ answers, onClose }: { answers: readonly ActionAnswer[]; onClose: () => void }) {
  return (
    <div class="notice calm bulk-answers row between start">
      <ul class="plain">
        {answers.map(({ id, name, done, problem }) => (
          <li key={id}>
            {done === 'deleted' && problem === undefined ? foreign(name) : <a href={importHref(id)}>{foreign(name)}</a>}
            : {problem === undefined ? done : <span class="attention">{saidOf(problem)}</span>}
          </li>
        ))}
      </ul>
      <button type="button" class="quiet" onClick={onClose}>
        Close
      </button>
    </div>
  );
}
