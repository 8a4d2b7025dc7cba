/** One import, live. */

import type { ComponentChildren } from 'preact';
import { tagsProblem } from '../../api/tag-rule.ts';
import { createdText, messagesText } from '../../membership/outcome-words.ts';
import { counted, grouped } from '../../text/wording.ts';
import type { ImportView } from '../answers.ts';
import { listIn } from '../format.ts';
import { settings, targetFacts } from '../frame.tsx';
import {
  fileName,
  isDryRun,
  isOfSync,
  leftToDo,
  needAttention,
  STATE_TONES,
  took,
  wentWrong,
} from '../import-words.ts';
import { Actions, announce, ask } from '../kit/actions.tsx';
import { CopyButton } from '../kit/copy.tsx';
import {
  Card,
  Empty,
  ErrorNotice,
  Facts,
  Fold,
  foreign,
  importHref,
  Journal,
  Pending,
  syncHref,
  Tag,
  Time,
  tagHref,
} from '../kit/elements.tsx';
import { usePlace, useTitle } from '../place.ts';
import { ApiError, addressOf, call } from '../requests.ts';
import { useAnswer } from '../use-answer.ts';
import { ImportDownloads } from './import/downloads.tsx';
import { ImportHead } from './import/import-head.tsx';
import { ImportProblems } from './import/import-problems.tsx';
import { ImportPace, ImportRegions } from './import/import-regions.tsx';
import { ImportRows } from './import/import-rows.tsx';
import { isReviewed } from './import/import-rules.ts';
import { type ImportParts, type LiveImport, useLiveImport, useQueues } from './import/live-import.ts';
import { Review, ReviewSteps } from './import/review.tsx';
import { useRowsWanted } from './import/rows-wanted.tsx';
import { ImportActions } from './import/ways.tsx';

export function ImportPage() {
  const { param: id } = usePlace();
  const live = useLiveImport(id);
  return (
    <>
      <ImportTitle live={live} />
      <div class="stack">
        <ImportBody live={live} />
      </div>
    </>
  );
}

function ImportTitle({ live }: { live: LiveImport }) {
  const view = live.data.value;
  const isMissing = live.error.value instanceof ApiError && live.error.value.problem.status === 404;
  useTitle(view === undefined ? '' : fileName(view.file));
  return (
    <div class="title row">
      <h1 tabIndex={-1}>
        {isMissing ? 'There is no such import' : view === undefined ? 'Import' : foreign(fileName(view.file))}
      </h1>
      {view !== undefined && <Origin view={view} />}
      {!isMissing && view !== undefined && <ImportTags live={live} view={view} />}
    </div>
  );
}

function Origin({ view }: { view: ImportView }) {
  return (
    <>
      {view.sandbox && settings.value?.sandbox !== true && <Tag>sandbox</Tag>}
      {isDryRun(view) && <Tag>dry run</Tag>}
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

function ImportBody({ live }: { live: LiveImport }) {
  const { isOperator } = usePlace();
  const filter = useRowsWanted();
  const view = live.data.value;
  const queues = useQueues(view?.state);
  if (live.error.value !== undefined) {
    return (
      <>
        <ErrorNotice error={live.error.value} />
        <p>
          <a href="/imports">All imports</a>
        </p>
      </>
    );
  }
  if (view === undefined) return <Empty>Loading …</Empty>;
  const parts = { live, view, filter, queues };
  const hasRows = view.state !== 'staging' && view.rows.read > 0;
  const isWaiting = isReviewed(view);
  const isUnderWay = hasRows && view.finishedAt === null && view.startedAt !== null;
  return (
    <>
      {isWaiting && !isOfSync(view) && <ReviewSteps id={view.id} />}
      {isWaiting ? (
        <Review {...parts} />
      ) : (
        <div class="card col">
          <section class="state row" aria-label="State">
            <ImportHead {...parts} />
            {isOperator ? <ImportActions {...parts} /> : <ImportDownloads view={view} />}
          </section>
        </div>
      )}
      {hasRows && !isWaiting && <Sections view={view} isUnderWay={isUnderWay} />}
      {hasRows && !isWaiting && <ImportProblems {...parts} />}
      {isUnderWay && (
        <>
          <Card id="regions" title="Regions">
            <ImportRegions {...parts} />
          </Card>
          <Card id="pace" title="Throughput">
            <ImportPace {...parts} />
          </Card>
        </>
      )}
      <div class="card looked-up col">
        <Fold id="facts" title="Facts" gist={factsGist(view)}>
          <Facts list={factsOf(view)} />
        </Fold>
        {hasRows && !isUnderWay && (
          <Fold id="regions" title="Regions" gist={Object.keys(view.regions).join(', ')}>
            <ImportRegions {...parts} />
            <ImportPace {...parts} />
          </Fold>
        )}
        <Fold id="journal" title="History">
          <ImportJournal live={live} />
        </Fold>
      </div>
      {hasRows && (
        <Card id="rows" title="Rows">
          <ImportRows {...parts} />
        </Card>
      )}
    </>
  );
}

/** A way to each part of the page, which stays in sight. */
function Sections({ view, isUnderWay }: { view: ImportView; isUnderWay: boolean }) {
  const over = view.finishedAt !== null;
  const wrong = over ? needAttention(view.rows) : wentWrong(view.rows);
  const left = over ? leftToDo(view) : wrong;
  const parts = [
    isUnderWay && ['regions', 'Regions'],
    wrong > 0 && ['problems', left > 0 ? `Problems (${grouped(left)})` : 'Problems'],
    ['rows', `Rows (${grouped(view.rows.read)})`],
    !isUnderWay && ['regions', 'Regions'],
    ['journal', 'History'],
  ];
  return (
    <nav class="sections" aria-label="Parts of this page">
      <a href="#state">State and actions</a>
      {parts.map(
        (part) =>
          part !== false && (
            <a key={part[0]} href={`#${part[0]}`}>
              {part[1]}
            </a>
          ),
      )}
    </nav>
  );
}

function ImportTags({ live, view }: Pick<ImportParts, 'live' | 'view'>) {
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
    await live.load(signal);
    announce('The tags are saved.');
  };
  const text = tags.length === 0 ? 'Add tags…' : 'Change tags…';
  return (
    <div class="own-tags" role="group" aria-label="Tags">
      {tags.map((tag) => (
        <a key={tag} class="tag own" href={tagHref(tag)}>
          {foreign(tag)}
        </a>
      ))}
      {isOperator && <Actions list={[{ text, kind: 'quiet small-button', act: change }]} />}
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

/** The facts that are asked for most, in a line. */
function factsGist(view: ImportView) {
  const { createdAt, startedAt, finishedAt } = view;
  const time = took(view);
  if (time === undefined)
    return (
      <>
        {startedAt === null ? 'created' : 'started'} <Time iso={startedAt ?? createdAt} />
      </>
    );
  return (
    <>
      finished <Time iso={finishedAt ?? ''} />, took {time}
    </>
  );
}

function factsOf(view: ImportView): (readonly [string, ComponentChildren])[] {
  const { startedAt, finishedAt, target } = view;
  const limited = Object.values(view.regions).reduce((sum, region) => sum + region.rateLimited, 0);
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

function ImportJournal({ live: { id, turns } }: { live: LiveImport }) {
  const { data, error } = useAnswer(addressOf('GET /v1/imports/:id/transitions', { id }), { turn: turns.value });
  if (error !== undefined || data === undefined) return <Pending error={error} />;
  if (data.transitions.length === 0) return <Empty>No history yet.</Empty>;
  return <Journal turns={data.transitions} tones={STATE_TONES} />;
}
