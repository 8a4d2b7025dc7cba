/** The start page: what needs a person, what runs, what may be continued, what ended last; and the place for a new file. */
import type { ComponentChildren } from 'preact';
import { sumOfOutcomes } from '../../membership/outcome.ts';
import { CHANGES, countsSentence } from '../../membership/plan-words.ts';
import { counted, grouped } from '../../text/wording.ts';
import type { FailedRun, ImportView, Overview, RunningImport, SyncEntry, Tone } from '../answers.ts';
import { estimate, timeOfDay } from '../format.ts';
import { settings } from '../frame.tsx';
import { actionLabel, fileName, inPlace, leftToDo, stateLabel, stateSentence, stateTone } from '../import-words.ts';
import { type ActionButton, Actions } from '../kit/actions.tsx';
import { Badge, Card, Empty, foreign, importHref, OutcomeBar, syncHref, Time } from '../kit/elements.tsx';
import { overview, refreshOverview } from '../live.ts';
import { needed, usePlace } from '../place.ts';
import { call, connection } from '../requests.ts';
import { SYNC_TONES, titleOf } from '../sync-words.ts';
import { KindTag } from './import/import-head.tsx';
import { isReviewed } from './import/import-rules.ts';
import { useActing, waysOf } from './import/ways.tsx';
import { NewFileCard } from './upload/file-choice.tsx';
import { IMPORT } from './upload/upload-entry.ts';

export function NowPage() {
  const known = overview.value;
  return (
    <>
      <h1>Now</h1>
      {known === undefined ? <Empty>Loading …</Empty> : <Known overview={known} />}
    </>
  );
}

function Known({ overview: known }: { overview: Overview }) {
  const { isOperator } = usePlace();
  const { running, queued, syncsUnderWay, ready, recent, unknownFolders } = known;
  const isNew = known.imports === 0 && known.schedules === 0 && known.syncs.length === 0;
  return (
    <>
      {isNew ? <Welcome /> : <Lead overview={known} />}
      {isOperator && unknownFolders !== undefined && <UnknownFolders folders={unknownFolders} />}
      <div class="now">
        <div class="stack">
          {needed(known) > 0 && <Needs overview={known} />}
          {running.length + queued + syncsUnderWay.length > 0 && <Running overview={known} />}
        </div>
        {isOperator && <NewFileCard kind={IMPORT} />}
        <div class="stack">
          {ready.imports.length + ready.syncs.length > 0 && <Ready ready={ready} />}
          {!isNew && <Recent imports={recent} />}
        </div>
      </div>
    </>
  );
}

/** In one line, whether there is anything to do. */
function Lead({ overview: known }: { overview: Overview }) {
  const { isOperator } = usePlace();
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
        (<code>{named.join(', ')}</code>
        {count > named.length && ` and ${grouped(count - named.length)} more`}): they do not go on, so import again what
        is missing of them, and then delete {count === 1 ? 'the folder' : 'the folders'} in <code>imports</code> of the
        data directory.
      </p>
    </div>
  );
}

function Welcome() {
  const { isOperator } = usePlace();
  return (
    <div class="card col">
      <p>
        <b>rollcall adds members to chat groups in bulk</b>: give it a file that says who belongs to which group, and it
        sends the memberships and reports what happened to every row.
      </p>
      {settings.value?.sandbox === true && (
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

function Needs({ overview: { needs, waiting, attention, running, syncs, failedRuns } }: { overview: Overview }) {
  const stopped = running.filter(({ stoppedRegions }) => stoppedRegions.length > 0);
  const others = [
    ['import', '/imports?problems=true', needs.imports - waiting.length - attention.length - stopped.length],
    ['sync', '/syncs?state=planned,held', needs.syncs - syncs.length],
  ] as const;
  return (
    <Card id="needs" title="Needs you">
      <ul class="plain inbox">
        {[...syncs.map(syncItem), ...stopped.map(stoppedItem)].map((item) => (
          <Item key={item.href} {...item} />
        ))}
        {waiting.map((view) => (
          <ImportItem key={view.id} view={view} />
        ))}
        {attention.map((view) => (
          <ImportItem key={view.id} view={view} canDismiss />
        ))}
        {failedRuns.map((run) => (
          <Item key={`schedule ${run.schedule}`} {...runItem(run)} />
        ))}
      </ul>
      {others.map(
        ([noun, href, count]) =>
          count > 0 && (
            <p key={noun}>
              <a href={href}>{counted(count, `more ${noun}`)}</a>
            </p>
          ),
      )}
    </Card>
  );
}

interface ItemProperties {
  href: string;
  name: string;
  tone: Tone;
  state: string;
  text: ComponentChildren;
  /** The label of the link to `next`, the page with what is to do. */
  way: string;
  next?: string;
  actions?: readonly (ActionButton | false)[];
}

/** A thing that waits for a person: its reason, and the buttons or the link that solve it. */
function Item({ href, name, tone, state, text, way, next = href, actions = [] }: ItemProperties) {
  const label = way === 'Open' || way === 'Review' ? `${way} ${name}` : undefined;
  return (
    <li>
      <div>
        <p class="inbox-head">
          <a href={href}>{foreign(name)}</a> <Badge tone={tone}>{state}</Badge>
        </p>
        <p class="soft">{text}</p>
      </div>
      <Actions list={[...actions, { text: way, label, kind: 'button', act: next }]} />
    </li>
  );
}

function syncItem(sync: SyncEntry): ItemProperties {
  const { id, state, schedule, totals, createdAt } = sync;
  const changes = totals === null ? '' : countsSentence(totals.actions, CHANGES);
  return {
    href: syncHref(id),
    name: titleOf(sync),
    tone: SYNC_TONES[state],
    state,
    text: (
      <>
        {state === 'held' ? 'Guards hold this plan back' : 'This plan waits to be applied'}
        {changes === '' ? '.' : `: ${changes}.`}
        {schedule !== null && <> Made by schedule {foreign(schedule)}.</>} · <Time iso={createdAt} />
      </>
    ),
    way: 'Review the plan',
  };
}

function stoppedItem({ id, file, stoppedRegions }: RunningImport): ItemProperties {
  const regions = stoppedRegions.join(', ');
  return {
    href: importHref(id),
    name: fileName(file),
    tone: 'attention',
    state: `${regions} stopped`,
    text: `The service refused the key or plan of ${stoppedRegions.length === 1 ? 'region' : 'regions'} ${regions}. The other regions continue.`,
    way: 'See what to do',
  };
}

function ImportItem({ view, canDismiss = false }: { view: ImportView; canDismiss?: boolean }) {
  const { isOperator } = usePlace();
  const acting = useActing({ load: async () => refreshOverview() }, view);
  const { id, actions, createdAt } = view;
  const name = fileName(view.file);
  const retry = actionLabel(view, 'retry');
  const dismiss = async (signal: AbortSignal) => {
    await call('POST /v1/imports/actions', { body: { action: 'dismiss', ids: [id] } }, signal);
    refreshOverview();
  };
  const own = [
    ...waysOf(view, acting, { of: name }),
    actions.includes('retry') && { text: retry, label: `${retry}: ${name}`, act: acting('retry') },
    canDismiss && { text: 'Dismiss', label: `Dismiss ${name}`, act: dismiss },
  ];
  return (
    <Item
      href={importHref(id)}
      name={name}
      tone={stateTone(view)}
      state={stateLabel(view)}
      text={
        <>
          {stateSentence(view)} · <Time iso={createdAt} />
        </>
      }
      way={isReviewed(view) ? 'Review' : 'Open'}
      actions={isOperator ? own : []}
    />
  );
}

function runItem(run: FailedRun): ItemProperties {
  const { schedule, sync, state, unsuccessful } = run;
  return {
    href: '/schedules',
    name: schedule,
    tone: 'attention',
    state: state === 'missed' || state === 'skipped-running' ? 'run missed' : 'run failed',
    text: [runSentence(run), unsuccessful > 1 ? ` ${grouped(unsuccessful)} runs in a row did not succeed.` : ''],
    ...(sync === null ? { way: 'Open schedules' } : { way: 'Open the sync', next: syncHref(sync) }),
  };
}

/** Returns the reason why a run did not succeed, as a sentence. */
function runSentence({ state, reason }: FailedRun) {
  if (state === 'skipped-running') return 'The last run was skipped: the one before was not over.';
  if (state === 'missed') return 'The last run was missed: no server was running at its time.';
  return reason === '' ? 'The last run failed.' : `The last run failed: ${reason}.`;
}

/** Things that a person may continue and no one waits for: checked files, paused imports, plans made to be looked at. */
function Ready({ ready: { imports, syncs } }: { ready: Overview['ready'] }) {
  return (
    <Card id="ready" title="Ready when you are">
      <ul class="plain inbox">
        {imports.map((view) => (
          <ImportItem key={view.id} view={view} />
        ))}
        {syncs.map((sync) => (
          <Item key={sync.id} {...syncItem(sync)} />
        ))}
      </ul>
      <p class="note">
        All <a href="/imports?state=paused,staged">checked files and paused imports</a>, all{' '}
        <a href="/syncs?state=planned,held">plans</a>.
      </p>
    </Card>
  );
}

function Running({ overview: { running, queued, syncsUnderWay } }: { overview: Overview }) {
  return (
    <Card id="running" title="Running">
      <ul class="plain under-way">
        {running.map((view) => (
          <RunningItem key={view.id} view={view} />
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
  const troubles = [
    stoppedRegions.length > 0 && `${stoppedRegions.join(', ')} stopped`,
    unansweredRegions.length > 0 && `no answer in ${unansweredRegions.join(', ')}`,
  ];
  return (
    <li>
      <p>
        <a href={importHref(id)}>{foreign(fileName(file))}</a> <Badge tone={stateTone(view)}>{stateLabel(view)}</Badge>
        {troubles.map((text) => text && [' ', <Badge tone="attention">{text}</Badge>])}
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
    </li>
  );
}

function Recent({ imports }: { imports: readonly ImportView[] }) {
  return (
    <Card id="recent" title="Finished last">
      {imports.length === 0 ? (
        <Empty>No import has finished yet.</Empty>
      ) : (
        <ul class="plain recent">
          {imports.map((view) => {
            const wrong = leftToDo(view);
            return (
              <li key={view.id}>
                <span>
                  <a href={importHref(view.id)}>{foreign(fileName(view.file))}</a>
                  <KindTag view={view} />
                </span>
                <Badge tone={stateTone(view)}>{stateLabel(view)}</Badge>
                <span class="soft">
                  {grouped(inPlace(view.rows))} of {counted(view.rows.read, 'row')} succeeded
                  {wrong > 0 && `, ${grouped(wrong)} ${wrong === 1 ? 'needs' : 'need'} attention`} ·{' '}
                  <Time iso={view.finishedAt ?? view.createdAt} />
                </span>
              </li>
            );
          })}
        </ul>
      )}
      <p>
        <a href="/imports">All imports</a>
      </p>
    </Card>
  );
}
