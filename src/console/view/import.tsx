/** One import, live. */
import { ApiError } from '../api.ts';
import { reportCommand } from '../command-line.ts';
import { CopyButton } from '../copy.tsx';
import { Card, Empty, Facts, Fold, foreign, importHref, syncHref, Tag } from '../element.tsx';
import { grouped } from '../format.ts';
import { ErrorNotice } from '../notice.tsx';
import { PARTS } from '../parts.ts';
import { usePlace, useTitle } from '../place.ts';
import { fileName, isDryRun, isOfSync, needAttention, wentWrong } from '../words.ts';
import { ImportActions } from './import/actions.tsx';
import { ImportDelivery } from './import/delivery.tsx';
import { ImportDownloads } from './import/downloads.tsx';
import { createdText, factsGist, factsOf } from './import/facts.tsx';
import { ImportHead } from './import/head.tsx';
import { ImportJournal } from './import/journal.tsx';
import { type LiveImport, useLiveImport } from './import/live-import.ts';
import { ImportPace } from './import/pace.tsx';
import { ImportProblems } from './import/problems.tsx';
import { ImportRegions } from './import/regions.tsx';
import { RowFilter } from './import/row-filter.tsx';
import { ImportRows } from './import/rows.tsx';
import { useRowsWanted } from './import/rows-wanted.ts';
import { ImportTags } from './import/tags.tsx';

export function ImportPage() {
  const { param: id } = usePlace();
  const live = useLiveImport(id);
  return (
    <>
      <ImportTitle id={id} live={live} />
      <div class="stack">
        <ImportBody id={id} live={live} />
      </div>
    </>
  );
}

function ImportTitle({ id, live }: { id: string; live: LiveImport }) {
  const view = live.view.value;
  const isMissing = live.error.value instanceof ApiError && live.error.value.problem.status === 404;
  useTitle(view === undefined ? '' : fileName(view.file));
  return (
    <>
      <p class="kicker">
        <a href="/imports">Imports</a> / {foreign(id)}
        {!isMissing && (
          <>
            <CopyButton text={id} what={`the id ${id}`} />
            <CopyButton
              text={reportCommand(id, location.origin)}
              label="Copy command"
              what="that reports this import"
            />
          </>
        )}
        <Origin live={live} />
      </p>
      <div class="title">
        <h1 tabIndex={-1}>
          {view === undefined ? (isMissing ? 'There is no such import' : 'Import') : foreign(fileName(view.file))}
        </h1>
        <ImportTags live={live} />
      </div>
    </>
  );
}

/** Shows the kind of an import and its origin. */
function Origin({ live }: { live: LiveImport }) {
  const view = live.view.value;
  if (view === undefined) return null;
  return (
    <>
      {view.sandbox && <Tag>sandbox</Tag>}
      {isDryRun(view) && <Tag>dry run</Tag>}
      {/* A sync and the import that carries it out have one id. */}
      {isOfSync(view) && (
        <span>
          {' '}
          Carries out <a href={syncHref(view.id)}>a sync</a>
        </span>
      )}
      {view.retryOf !== null && (
        <span>
          {' '}
          Retries rows of <a href={importHref(view.retryOf)}>{foreign(view.retryOf)}</a>
        </span>
      )}
    </>
  );
}

function ImportBody({ id, live }: { id: string; live: LiveImport }) {
  const { isOperator } = usePlace();
  const filter = useRowsWanted();
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
  if (live.state.value === undefined) return <Empty>Loading …</Empty>;
  const hasRows = live.hasRows.value;
  const isWaiting = live.state.value === 'staged' && hasRows;
  const isUnderWay = hasRows && !live.over.value && (live.view.value?.startedAt ?? null) !== null;
  return (
    <>
      {hasRows && <Sections live={live} isWaiting={isWaiting} isUnderWay={isUnderWay} />}
      <div class="card">
        <section class="state" aria-label="State">
          <ImportHead live={live} />
          {isOperator && <ImportActions live={live} filter={filter} />}
        </section>
        <ImportDelivery live={live} />
      </div>
      {isWaiting && PARTS.Check !== undefined && (
        <Card id="check" title="Check before sending">
          <PARTS.Check id={id} live={live} filter={filter} hasCheck={live.view.value?.hasCheck === true} />
        </Card>
      )}
      {hasRows && <ImportProblems id={id} live={live} filter={filter} />}
      {isUnderWay && (
        <>
          <Card id="regions" title="Regions">
            <ImportRegions live={live} />
          </Card>
          <Card id="pace" title="Throughput">
            <ImportPace id={id} live={live} />
          </Card>
        </>
      )}
      <Folds id={id} live={live} isUnderWay={isUnderWay} />
      {hasRows && (
        <Card id="rows" title="Rows">
          <RowFilter filter={filter} />
          <ImportRows id={id} live={live} filter={filter} />
        </Card>
      )}
    </>
  );
}

/** Parts that people open now and then. */
function Folds({ id, live, isUnderWay }: { id: string; live: LiveImport; isUnderWay: boolean }) {
  const view = live.view.value;
  const hasRows = live.hasRows.value;
  if (view === undefined) return null;
  const regions = Object.keys(view.regions);
  return (
    <div class="card looked-up">
      <Fold id="facts" title="Facts" gist={factsGist(view)}>
        <Facts list={factsOf(view)} />
      </Fold>
      {view.created !== undefined && PARTS.Created !== undefined && (
        <Fold id="created" title="Created users and groups" gist={createdText(view)}>
          {/* Read again after a follow-up, such as its undo. */}
          <PARTS.Created id={id} key={view.followUps.map(({ state }) => state).join()} />
        </Fold>
      )}
      {hasRows && (
        <Fold id="downloads" title="Downloads" gist="CSV, XLSX, NDJSON, JSON, HTML">
          <ImportDownloads live={live} />
        </Fold>
      )}
      {hasRows && !isUnderWay && (
        <Fold id="regions" title="Regions" gist={regions.join(', ')}>
          <ImportRegions live={live} />
          <ImportPace id={id} live={live} />
        </Fold>
      )}
      <Fold id="journal" title="History">
        <ImportJournal id={id} live={live} />
      </Fold>
    </div>
  );
}

/** A way to each part of the page, which stays in sight. */
function Sections({ live, isWaiting, isUnderWay }: { live: LiveImport; isWaiting: boolean; isUnderWay: boolean }) {
  const view = live.view.value;
  if (view === undefined) return null;
  const wrong = live.over.value ? needAttention(view.rows) : wentWrong(view.rows);
  const parts = [
    isWaiting && PARTS.Check !== undefined && ['check', 'Check'],
    isUnderWay && ['regions', 'Regions'],
    wrong > 0 && ['problems', `Problems (${grouped(wrong)})`],
    ['rows', `Rows (${grouped(view.rows.read)})`],
    ['downloads', 'Downloads'],
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
