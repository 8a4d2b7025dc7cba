/** One import, live. */

import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { tagsProblem } from '../../api/tag-rule.ts';
import { createdText, messagesText } from '../../membership/outcome-words.ts';
import { counted, grouped, sumOf } from '../../text/wording.ts';
import type { ImportView } from '../answers.ts';
import { listIn } from '../format.ts';
import { targetFacts } from '../frame.tsx';
import { fileName, isOfSync, STATE_TONES, took } from '../import-words.ts';
import { Actions, announce, ask } from '../kit/actions.tsx';
import { CopyButton } from '../kit/copy.tsx';
import { Card, Empty, Facts, foreign, importHref, Journal, Pending, syncHref, Time } from '../kit/elements.tsx';
import { usePlace, useTitle } from '../place.ts';
import { ApiError, addressOf, call } from '../requests.ts';
import { useAnswer } from '../use-answer.ts';
import { ImportDownloads } from './import/downloads.tsx';
import { ImportHead, KindTag, StateBadge, TagLinks } from './import/import-head.tsx';
import { ImportProblems } from './import/import-problems.tsx';
import { ImportPace, ImportRegions } from './import/import-regions.tsx';
import { ImportRows } from './import/import-rows.tsx';
import { hasRows, isReviewed } from './import/import-rules.ts';
import { type ImportParts, useLiveImport, useProblems, useQueues } from './import/live-import.ts';
import { forgetReview, Review, ReviewSteps } from './import/review.tsx';
import { useRowsWanted } from './import/rows-wanted.tsx';
import { ImportActions } from './import/ways.tsx';

export function Page() {
  const { param: id, isOperator } = usePlace();
  const { view, error, reload } = useLiveImport(id);
  const queues = useQueues(view?.state);
  const problems = useProblems(view);
  const filter = useRowsWanted(problems.data?.problems);
  const isMissing = error instanceof ApiError && error.problem.status === 404;
  useTitle(view === undefined ? '' : fileName(view.file));
  const parts = error === undefined && view !== undefined && { view, reload, queues, filter, problems };
  // A review has the state in a card of its own, and its actions below the choices.
  const headed = parts && !isReviewed(parts.view) && parts;
  const isPastReview = Boolean(headed);
  // Events may say that it was sent before the answer to its button comes.
  useEffect(() => {
    if (isPastReview) forgetReview(id);
  }, [isPastReview, id]);
  return (
    <>
      <section class="state col" aria-label={headed ? 'State' : undefined}>
        <div class="title row">
          <h1 tabIndex={-1}>
            {isMissing ? 'There is no such import' : view === undefined ? 'Import' : foreign(fileName(view.file))}
          </h1>
          {parts && <StateBadge {...parts} />}
          {parts && <Origin {...parts} />}
          {parts && <ImportTags {...parts} />}
          {headed && (isOperator ? <ImportActions {...headed} /> : <ImportDownloads view={headed.view} />)}
        </div>
        {headed && <ImportHead {...headed} />}
      </section>
      <div class="stack">{parts ? <ImportBody {...parts} /> : <Pending error={error} />}</div>
      {error !== undefined && <a href="/imports">All imports</a>}
    </>
  );
}

function Origin({ view }: ImportParts) {
  return (
    <>
      <KindTag view={view} />
      {/* A sync and the import that carries it out have one id. */}
      {isOfSync(view) && (
        <span class="note">
          Carries out <a href={syncHref(view.id)}>a sync</a>
        </span>
      )}
      {view.retryOf !== null && (
        <span class="note">
          Retries rows of <a href={importHref(view.retryOf)}>{foreign(view.retryOf)}</a>
        </span>
      )}
    </>
  );
}

function ImportBody(parts: ImportParts) {
  const { view, filter } = parts;
  const isWaiting = isReviewed(view);
  const isOfRows = hasRows(view) && filter.isInSight.value;
  return (
    <>
      {isWaiting && !isOfSync(view) && <ReviewSteps id={view.id} />}
      {isWaiting && <Review {...parts} />}
      {hasRows(view) && (
        <nav class="sections" aria-label="Parts of this page">
          {[`Rows (${grouped(view.rows.read)})`, 'Details'].map((name, at) => (
            <button
              key={at}
              type="button"
              aria-current={isOfRows === (at === 0)}
              onClick={() => {
                filter.isInSight.value = at === 0;
              }}
            >
              {name}
            </button>
          ))}
        </nav>
      )}
      {/* Rows stay as they were opened while the details are shown. */}
      {hasRows(view) && (
        <div class="stack" hidden={!isOfRows}>
          <Card id="rows" title="Rows">
            <ImportRows {...parts}>{!isWaiting && <ImportProblems {...parts} />}</ImportRows>
          </Card>
        </div>
      )}
      {!isOfRows && <Details {...parts} />}
    </>
  );
}

function Details(parts: ImportParts) {
  const { view } = parts;
  return (
    <>
      <ImportPace {...parts} />
      {Object.keys(view.regions).length > 0 && (
        <Card id="regions" title="Regions">
          <ImportRegions {...parts} />
        </Card>
      )}
      <Card id="facts" title="Facts">
        <Facts list={factsOf(view)} />
      </Card>
      <Card id="journal" title="History">
        <ImportJournal {...view} />
      </Card>
    </>
  );
}

function ImportTags({ view, reload }: ImportParts) {
  const { isOperator } = usePlace();
  if (!isOperator && view.tags.length === 0) return null;
  const { id, tags } = view;
  const change = async (signal: AbortSignal) => {
    const changes = await askForTags([view]);
    if (changes === undefined) return;
    const body = { ids: [id], action: 'tag' as const, tags: changes };
    const { results } = await call('POST /v1/imports/actions', { body }, signal);
    const problem = results[0]?.problem;
    if (problem !== undefined) throw new ApiError(problem);
    await reload();
    announce('The tags are saved.');
  };
  const named = tags.length === 0 ? { text: 'Add tags…' } : { text: '+', label: 'Change tags…' };
  return (
    <div class="row" role="group" aria-label="Tags">
      <TagLinks tags={tags} />
      {isOperator && <Actions list={[{ ...named, kind: 'quiet small-button', act: change }]} />}
    </div>
  );
}

/** The tags to add and to remove; undefined when nothing is to change. One import shows those that it has. */
export async function askForTags(imports: readonly Pick<ImportView, 'tags'>[]) {
  const [one] = imports.length === 1 ? imports : [];
  const field = { problem: (value: string) => tagsProblem(listIn(value)) };
  const values = await ask({
    question: one === undefined ? `Tag ${counted(imports.length, 'import')}` : 'Tags of this import',
    explanation: 'Tags are words by which you find imports again. Separate several with commas.',
    fields:
      one === undefined ? { add: { label: 'Add', ...field }, remove: { label: 'Remove', ...field } } : { tags: field },
    initial: { tags: one?.tags.join(', ') ?? '' },
    yes: 'Save tags',
    no: 'Change nothing',
  });
  if (values === undefined) return undefined;
  const listed = (name: string) => listIn(values[name] ?? '');
  const all = listed('tags');
  const add = one === undefined ? listed('add') : all.filter((tag) => !one.tags.includes(tag));
  const remove = one === undefined ? listed('remove') : one.tags.filter((tag) => !all.includes(tag));
  return add.length + remove.length === 0 ? undefined : { add, remove };
}

function factsOf(view: ImportView): (readonly [string, ComponentChildren])[] {
  const { startedAt, finishedAt, target } = view;
  const limited = sumOf(Object.values(view.regions).map((region) => region.rateLimited));
  return [
    [
      'Id',
      <>
        {view.id} <CopyButton text={view.id} what={`the id ${view.id}`} />
      </>,
    ],
    [
      'Report',
      <CopyButton
        text={`rollcall report ${view.id} --server ${location.origin}`}
        label="Copy command"
        what="that reports this import"
      />,
    ],
    [isOfSync(view) || view.retryOf !== null ? 'Created' : 'Uploaded', <Time iso={view.createdAt} />],
    ['Started', startedAt !== null && <Time iso={startedAt} />],
    ['Finished', finishedAt !== null && <Time iso={finishedAt} />],
    ['Took', took(view) ?? null],
    ['Rows of the file', view.inputRows !== undefined && grouped(view.inputRows)],
    [view.inputRows === undefined ? 'Rows' : 'Memberships', view.rows.read > 0 && grouped(view.rows.read)],
    ['Users and groups', view.created !== undefined && createdText(view.created)],
    ['Messages in groups', view.writes && messagesText({ ...view, writes: view.writes })],
    ['Calls', view.calls > 0 && grouped(view.calls)],
    ['Asked who is banned', view.banQuestions !== undefined && counted(view.banQuestions, 'group')],
    ['Retries', view.retries > 0 && grouped(view.retries)],
    ['Rate-limited', limited > 0 && counted(limited, 'time')],
    ...targetFacts(target),
  ];
}

function ImportJournal({ id, state }: ImportView) {
  const { data, error } = useAnswer(addressOf('GET /v1/imports/:id/transitions', { id }), { turn: state });
  if (data === undefined) return <Pending error={error} />;
  if (data.transitions.length === 0) return <Empty>No history yet.</Empty>;
  return <Journal turns={data.transitions} tones={STATE_TONES} />;
}
