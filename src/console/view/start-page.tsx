/** The start page: what needs a person, what runs, what may be continued, what came of the last runs of schedules, what keeps failing; and the place for a new file. */

import { sumOfOutcomes } from '../../membership/outcome.ts';
import { counted, grouped } from '../../text/wording.ts';
import type { ImportView, Night, Overview, RunningImport, Tone } from '../answers.ts';
import { estimate, timeOfDay } from '../format.ts';
import { settings } from '../frame.tsx';
import { fileName, inPlace, leftToDo, stateLabel, stateTone } from '../import-words.ts';
import { Badge, Card, Empty, foreign, importHref, OutcomeBar, syncHref, Time, TimeIn } from '../kit/elements.tsx';
import { type Column, DataTable } from '../kit/list.tsx';
import { overview } from '../live.ts';
import { needed, usePlace } from '../place.ts';
import { connection } from '../requests.ts';
import { SYNC_TONES } from '../sync-words.ts';
import { KindTag } from './imports-page.tsx';
import { Needs, Ready } from './inbox.tsx';
import { NewImport } from './new-import.tsx';
export function NowPage() {
  const { isOperator } = usePlace();
  const known = overview.value;
  const isNew = known !== undefined && known.imports === 0 && known.nights.length === 0 && known.syncs.length === 0;
  return (
    <>
      <h1>Now</h1>
      {isNew ? <Welcome isSandbox={settings.value?.sandbox === true} /> : <Lead />}
      {isOperator && known?.unknownFolders !== undefined && <UnknownFolders folders={known.unknownFolders} />}
      <div class="now">
        <div class="stack">
          {known === undefined && <Empty>Loading …</Empty>}
          {known !== undefined && needed(known) > 0 && <Needs overview={known} />}
          {known !== undefined && known.running.length + known.queued + known.syncsUnderWay.length > 0 && (
            <Running overview={known} />
          )}
        </div>
        {isOperator && <NewImport />}
        <div class="stack">{known !== undefined && !isNew && <Rest overview={known} />}</div>
      </div>
    </>
  );
}

/** Things that no one waits for. */
function Rest({ overview: { ready, nights, recent, failing } }: { overview: Overview }) {
  return (
    <>
      {ready.imports.length + ready.syncs.length > 0 && <Ready ready={ready} />}
      {nights.length > 0 && (
        <Card id="nights" title="Last run of each schedule">
          <LastRuns nights={nights} />
        </Card>
      )}
      <div class="pair">
        <Card id="recent" title="Finished last">
          <Recent imports={recent} />
        </Card>
        {failing.length > 0 && (
          <Card id="failing" title="What keeps failing">
            <Failing failing={failing} />
          </Card>
        )}
      </div>
    </>
  );
}

/** In one line, whether there is anything to do. */
function Lead() {
  const { isOperator } = usePlace();
  const known = overview.value;
  if (known === undefined) return null;
  const needs = needed(known) + (isOperator && known.unknownFolders !== undefined ? 1 : 0);
  const busy = known.running.length;
  return (
    <p class="lead">
      {needs === 0 ? 'Nothing needs you.' : `${counted(needs, 'thing')} ${needs === 1 ? 'needs' : 'need'} you.`}
      {busy + known.queued === 0
        ? ' Nothing is running.'
        : ` ${counted(busy, 'import')} ${busy === 1 ? 'is' : 'are'} running.`}
    </p>
  );
}

/** Folders that are named. */
const MAX_NAMED = 3;

function UnknownFolders({ folders: { count, names } }: { folders: NonNullable<Overview['unknownFolders']> }) {
  const named = names.slice(0, MAX_NAMED);
  return (
    <div class="notice attention">
      <p>
        <b>
          The list of imports does not know {count === 1 ? 'a folder' : `${grouped(count)} folders`} with data of
          imports
        </b>{' '}
        ({named.flatMap((name, at) => [at > 0 && ', ', <code key={name}>{name}</code>])}
        {count > named.length && ` and ${grouped(count - named.length)} more`}): they do not go on, so import again what
        is missing of them, and then delete {count === 1 ? 'the folder' : 'the folders'} in <code>imports</code> of the
        data directory.
      </p>
    </div>
  );
}

function Welcome({ isSandbox }: { isSandbox: boolean }) {
  const { isOperator } = usePlace();
  return (
    <div class="welcome">
      <p>
        <b>rollcall adds members to chat groups in bulk</b>: give it a file that says who belongs to which group, and it
        sends the memberships and reports what happened to every row.
      </p>
      {isSandbox && (
        <p>
          <b>This server sends to a sandbox</b>: a local copy of the chat service. You can try everything; nothing
          reaches real users.
        </p>
      )}
      {isOperator ? (
        <p>To begin, choose a file below. To see what one looks like, download a template or press “Try a sample”.</p>
      ) : (
        <p>There are no imports yet. An operator can start the first one.</p>
      )}
    </div>
  );
}

function Running({ overview: { running, queued, syncsUnderWay } }: { overview: Overview }) {
  return (
    <Card id="running" title="Running">
      <ul class="plain under-way">
        {running.map((view) => (
          <li key={view.id}>
            <RunningItem view={view} />
          </li>
        ))}
        {syncsUnderWay.map(({ id, file, state }) => (
          <li key={id}>
            <p>
              <a href={syncHref(id)}>{foreign(fileName(file))}</a> <Badge tone={SYNC_TONES[state]}>{state}</Badge>
            </p>
          </li>
        ))}
      </ul>
      {queued > 0 && (
        <p class="soft">
          <a href="/imports?state=staging">{counted(queued, 'import')}</a> {queued === 1 ? 'waits' : 'wait'} for other
          files to be read first.
        </p>
      )}
    </Card>
  );
}

function RunningItem({ view }: { view: RunningImport }) {
  const { id, file, rows, staging, etaSeconds, stoppedRegions, unansweredRegions } = view;
  const asOf = connection.asOf.value;
  const done = sumOfOutcomes(rows);
  const share = rows.read === 0 ? 0 : Math.floor((done / rows.read) * 100);
  return (
    <>
      <p>
        <a href={importHref(id)}>{foreign(fileName(file))}</a> <Badge tone={stateTone(view)}>{stateLabel(view)}</Badge>
        {stoppedRegions.length > 0 && (
          <>
            {' '}
            <Badge tone="attention">{stoppedRegions.join(', ')} stopped</Badge>
          </>
        )}
        {unansweredRegions.length > 0 && (
          <>
            {' '}
            <Badge tone="attention">no answer in {unansweredRegions.join(', ')}</Badge>
          </>
        )}
      </p>
      {staging !== null ? (
        <p class="soft">{counted(staging.rows, 'row')} read</p>
      ) : (
        rows.read > 0 && <OutcomeBar name={`Rows of ${fileName(file)} by outcome`} rows={rows} />
      )}
      {rows.read > 0 && (
        <p class="soft">
          {share} %: {grouped(done)} of {counted(rows.read, 'row')}
          {asOf !== null ? `, as of ${timeOfDay(asOf)}` : etaSeconds !== null && `, ${estimate(etaSeconds)}`}
        </p>
      )}
    </>
  );
}

const RESULTS: Readonly<Record<Night['result'], readonly [Tone, string]>> = {
  ok: ['good', 'ok'],
  running: ['busy', 'running'],
  waits: ['attention', 'waits for you'],
  failed: ['attention', 'failed'],
  missed: ['attention', 'missed'],
  rejected: ['still', 'rejected'],
  none: ['still', 'not run yet'],
};

const RUN_COLUMNS: Column<Night>[] = [
  {
    label: 'Schedule',
    kind: 'main',
    cell: ({ name, paused }) => (
      <>
        <a href="/schedules">{foreign(name)}</a>
        {paused && <span class="tag">paused</span>}
      </>
    ),
  },
  {
    label: 'Result',
    cell: ({ result, unsuccessful }) => (
      <>
        <Badge tone={RESULTS[result][0]}>{RESULTS[result][1]}</Badge>
        {unsuccessful > 1 && <span class="soft"> {grouped(unsuccessful)} in a row</span>}
      </>
    ),
  },
  {
    label: 'Last run',
    cell: ({ run }) =>
      run === null ? (
        '–'
      ) : run.sync === null ? (
        <Time iso={run.at} />
      ) : (
        <a href={syncHref(run.sync.id)}>
          <Time iso={run.at} />
        </a>
      ),
  },
  {
    label: 'Next run',
    cell: ({ next, tz }) =>
      next === null ? (
        '–'
      ) : (
        <>
          <TimeIn iso={next} tz={tz} />
          <span class="soft"> {tz}</span>
        </>
      ),
  },
];

function LastRuns({ nights }: { nights: readonly Night[] }) {
  return (
    <DataTable
      caption="The last run of each schedule"
      columns={RUN_COLUMNS}
      items={nights}
      keyOf={({ name }) => name}
    />
  );
}

function Recent({ imports }: { imports: readonly ImportView[] }) {
  if (imports.length === 0) return <Empty>No import has finished yet.</Empty>;
  return (
    <>
      <ul class="plain recent">
        {imports.map((view) => (
          <li key={view.id}>
            <RecentItem view={view} />
          </li>
        ))}
      </ul>
      <p>
        <a href="/imports">All imports</a>
      </p>
    </>
  );
}

function RecentItem({ view }: { view: ImportView }) {
  const { id, file, rows, finishedAt, createdAt } = view;
  const wrong = leftToDo(view);
  return (
    <>
      <span>
        <a href={importHref(id)}>{foreign(fileName(file))}</a>
        <KindTag view={view} />
      </span>
      <Badge tone={stateTone(view)}>{stateLabel(view)}</Badge>
      <span class="soft">
        {grouped(inPlace(rows))} of {counted(rows.read, 'row')} succeeded
        {wrong > 0 && `, ${grouped(wrong)} ${wrong === 1 ? 'needs' : 'need'} attention`} ·{' '}
        <Time iso={finishedAt ?? createdAt} />
      </span>
    </>
  );
}

const FAILING_COLUMNS: Column<Overview['failing'][number]>[] = [
  { label: 'Code', kind: 'main', cell: ({ code }) => <code>{code}</code> },
  { label: 'Imports', kind: 'number', cell: ({ imports }) => grouped(imports) },
  { label: 'Rows', kind: 'number', cell: ({ rows }) => grouped(rows) },
  {
    label: 'Latest',
    cell: ({ latest, code }) => (
      <a href={`${importHref(latest)}#problems`} aria-label={`see what to do about ${code}, in the latest import`}>
        see what to do
      </a>
    ),
  },
];

function Failing({ failing }: { failing: Overview['failing'] }) {
  return (
    <>
      <p class="soft">{counted(failing.length, 'code')} came in more than one import of the last 14 days.</p>
      <DataTable
        caption="Codes that came in several imports"
        columns={FAILING_COLUMNS}
        items={failing}
        keyOf={({ code }) => code}
      />
    </>
  );
}
