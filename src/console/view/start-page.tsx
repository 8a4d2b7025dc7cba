/** The start page: what needs a person, what runs, what may be continued, what ended last; and the place for a new file. */
import type { ComponentChildren } from 'preact';
import { sumOfOutcomes } from '../../membership/outcome.ts';
import { counted, grouped } from '../../text/wording.ts';
import type { FailedRun, ImportView, Overview, RunningImport, SyncEntry, Tone } from '../answers.ts';
import { estimate, timeOfDay } from '../format.ts';
import { settings } from '../frame.tsx';
import { badgeOf, fileName } from '../import-words.ts';
import type { ActionButton } from '../kit/actions.tsx';
import { Badge, Card, Empty, foreign, importHref, OutcomeBar, syncHref, Time } from '../kit/elements.tsx';
import { type Column, List } from '../kit/list.tsx';
import { overview, refreshOverview } from '../live.ts';
import { needed, usePlace } from '../place.ts';
import { call, connection } from '../requests.ts';
import { SYNC_TONES, titleOf } from '../sync-words.ts';
import { KindTag, reasonOf } from './import/import-head.tsx';
import { useActing, waysOf } from './import/ways.tsx';
import { NewFileCard } from './upload/file-choice.tsx';
import { IMPORT } from './upload/upload-entry.ts';

export function Page() {
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
  const acted = useActedItem();
  const { needs, waiting, attention, running, queued, syncs, failedRuns, syncsUnderWay, ready, recent } = known;
  const isNew = known.imports === 0 && known.schedules === 0 && known.syncs.length === 0;
  const stopped = running.filter(({ stoppedRegions }) => stoppedRegions.length > 0);
  // By harm: rows that are not sent meanwhile, runs that did not happen, plans that wait, rows that went wrong.
  const needing = [
    ...stopped.map(stoppedItem),
    ...waiting.map(acted),
    ...failedRuns.map(runItem),
    ...syncs.map(syncItem),
    ...attention.map(acted),
  ];
  const others = {
    import: needs.imports - waiting.length - attention.length - stopped.length,
    sync: needs.syncs - syncs.length,
  };
  return (
    <>
      {isNew ? <Welcome /> : <Lead overview={known} />}
      {isOperator && known.unknownFolders !== undefined && <UnknownFolders folders={known.unknownFolders} />}
      <div class="now">
        <div class="stack">
          <Items id="needs" title="Needs you" items={needing}>
            {others.import > 0 && <a href="/imports?problems=true">{counted(others.import, 'more import')}</a>}
            {others.import > 0 && others.sync > 0 && ' '}
            {others.sync > 0 && <a href="/syncs?state=planned,held">{counted(others.sync, 'more sync')}</a>}
          </Items>
          <Items id="running" title="Running" items={[...running.map(runningItem), ...syncsUnderWay.map(syncItem)]}>
            {queued > 0 && (
              <>
                <a href="/imports?state=staging">{counted(queued, 'import')}</a> {queued === 1 ? 'waits' : 'wait'} for
                other files to be read first.
              </>
            )}
          </Items>
        </div>
        {isOperator && <NewFileCard kind={IMPORT} />}
        <div class="stack">
          <Items
            id="ready"
            title="Ready when you are"
            items={[...ready.imports.map(acted), ...ready.syncs.map(syncItem)]}
          >
            All <a href="/imports?state=paused,staged">checked files and paused imports</a>, all{' '}
            <a href="/syncs?state=planned,held">plans</a>.
          </Items>
          {!isNew && (
            <Items id="recent" title="Finished last" items={recent.map(importItem)} empty="No import has finished yet.">
              <a href="/imports">All imports</a>
            </Items>
          )}
        </div>
      </div>
    </>
  );
}

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

interface Item {
  href: string;
  name: string;
  badge: readonly [Tone, string];
  text: ComponentChildren;
  /** Words beside the name and the badge. */
  tags?: ComponentChildren;
  /** For operators: the one that solves it comes first. */
  actions?: readonly (ActionButton | false)[];
}

interface ItemsProperties {
  id: string;
  title: string;
  items: readonly Item[];
  /** Said where there are none. Default: the whole list is left out. */
  empty?: string;
  children?: ComponentChildren;
}

function Items({ id, title, items, empty, children }: ItemsProperties) {
  if (items.length === 0 && empty === undefined) return null;
  return (
    <Card id={id} title={title}>
      <List
        class="inbox"
        pages={{ items, error: undefined }}
        caption={title}
        noun="things"
        columns={COLUMNS}
        keyOf={({ href, name }) => `${href} ${name}`}
        actions={({ actions = [] }) => ({ list: actions })}
        empty={empty}
      />
      <p class="note">{children}</p>
    </Card>
  );
}

const COLUMNS: Column<Item>[] = [
  {
    label: 'Name',
    kind: 'main',
    cell: ({ href, name, badge: [tone, state], tags }) => (
      <>
        <a href={href}>{foreign(name)}</a> <Badge tone={tone}>{state}</Badge>
        {tags}
      </>
    ),
  },
  { label: 'State', kind: 'wide', cell: ({ text }) => text },
];

/** Gives an import with what operators can do about it: the one way on, and to leave it as it is. */
function useActedItem() {
  const actingOn = useActing();
  return (view: ImportView): Item => {
    const { id, finishedAt } = view;
    const name = fileName(view.file);
    const dismiss = async (signal: AbortSignal) => {
      await call('POST /v1/imports/actions', { body: { action: 'dismiss', ids: [id] } }, signal);
      refreshOverview();
    };
    const open = { text: 'Open', label: `Open ${name}`, kind: 'button', act: importHref(id) };
    const [first = open] = waysOf(view, actingOn(view, refreshOverview), name);
    const leave = finishedAt !== null && { text: 'Dismiss', label: `Dismiss ${name}`, kind: 'quiet', act: dismiss };
    return { ...importItem(view), actions: [leave, first] };
  };
}

function importItem(view: ImportView): Item {
  return {
    href: importHref(view.id),
    name: fileName(view.file),
    badge: badgeOf(view),
    tags: <KindTag view={view} />,
    text: (
      <>
        {view.sentence} {reasonOf(view)} · <Time iso={view.finishedAt ?? view.createdAt} />
      </>
    ),
  };
}

function runningItem(view: RunningImport): Item {
  const { rows, staging, etaSeconds, stoppedRegions, unansweredRegions } = view;
  const { asOf } = connection;
  const done = sumOfOutcomes(rows);
  const troubles = [
    stoppedRegions.length > 0 && `${stoppedRegions.join(', ')} stopped`,
    unansweredRegions.length > 0 && `no answer in ${unansweredRegions.join(', ')}`,
  ];
  const left = asOf !== undefined ? `, as of ${timeOfDay(asOf)}` : etaSeconds !== null && `, ${estimate(etaSeconds)}`;
  return {
    ...importItem(view),
    tags: troubles.map((text) => text && [' ', <Badge tone="attention">{text}</Badge>]),
    text:
      rows.read === 0 || staging !== null ? (
        `${counted(staging?.rows ?? 0, 'row')} read`
      ) : (
        <div class="progress">
          <OutcomeBar name={`Rows of ${fileName(view.file)} by outcome`} rows={rows} />
          <span>
            {Math.floor((done / rows.read) * 100)} %: {grouped(done)} of {counted(rows.read, 'row')}
            {left}
          </span>
        </div>
      ),
  };
}

function stoppedItem(view: RunningImport): Item {
  const regions = view.stoppedRegions.join(', ');
  return {
    ...importItem(view),
    badge: ['attention', `${regions} stopped`],
    text: `The service refused the key or plan of ${view.stoppedRegions.length === 1 ? 'region' : 'regions'} ${regions}. The other regions continue.`,
    actions: [{ text: 'See what to do', kind: 'button', act: importHref(view.id) }],
  };
}

function syncItem(sync: SyncEntry): Item {
  const { id, state, schedule, sentence, createdAt, next } = sync;
  const [step] = next;
  return {
    href: syncHref(id),
    name: titleOf(sync),
    badge: [SYNC_TONES[state], state],
    text: (
      <>
        {sentence}
        {schedule !== null && <> Made by schedule {foreign(schedule)}.</>} · <Time iso={createdAt} />
      </>
    ),
    // The plan is looked at first.
    actions: [step !== undefined && { text: `${step.name}…`, kind: 'button', act: syncHref(id) }],
  };
}

function runItem({ schedule, sync, sentence, unsuccessful, next: [step] }: FailedRun): Item {
  const act = async (signal: AbortSignal) => {
    await call('POST /v1/schedules/:name/run', { name: schedule }, signal);
    refreshOverview();
  };
  const open =
    sync === null
      ? { text: 'Open schedules', kind: 'button', act: '/schedules' }
      : { text: 'Open the sync', kind: 'button', act: syncHref(sync) };
  return {
    href: '/schedules',
    name: schedule,
    badge: ['attention', step === undefined ? 'run failed' : 'run missed'],
    text: [sentence, unsuccessful > 1 ? ` ${grouped(unsuccessful)} runs in a row did not succeed.` : ''],
    actions: [step === undefined ? open : { text: step.name, label: `${step.name}: ${schedule}`, act }],
  };
}
