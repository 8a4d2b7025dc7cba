/** One sync: what is planned, what guards object to, what someone decided, and what came of it. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { PlanTotals, SyncState } from '../../../console/answers.ts';
import { SandboxTag, targetFacts } from '../../../console/frame.tsx';
import { isUndo } from '../../../console/import-words.ts';
import { announce } from '../../../console/kit/actions.tsx';
import {
  Card,
  Facts,
  FileNotes,
  foreign,
  importHref,
  Journal,
  Legend,
  Pending,
  scheduleHref,
  syncHref,
  Time,
} from '../../../console/kit/elements.tsx';
import { usePlace, useTitle } from '../../../console/place.ts';
import { ApiError, addressOf } from '../../../console/requests.ts';
import { modeWords, SYNC_TONES, standsStill, titleOf } from '../../../console/sync-words.ts';
import { useAnswer } from '../../../console/use-answer.ts';
import { Download, linksOf } from '../../../console/view/import/downloads.tsx';
import { FollowUpList, reasonOf } from '../../../console/view/import/import-head.tsx';
import { BackToColumns } from '../../../console/view/upload/file-choice.tsx';
import { ACTIONS_SHOWN, createdWords, mayCreateWords } from '../../../membership/plan-words.ts';
import { LABELS, VALUE_LABELS } from '../../../options/labels.ts';
import { counted, grouped } from '../../../text/wording.ts';
import type { SyncView } from '../api.ts';
import { SYNC } from './new-sync.tsx';
import { askAgainAfter, PlanLegend, Standing, SyncGuards, SyncPlan } from './plan.tsx';
import { decisionOf, notesOf } from './plan-rules.ts';
import { Reverses, SyncActions } from './sync-actions.tsx';

export function Page() {
  const { param: id, isOperator } = usePlace();
  const {
    data: view,
    error,
    set,
    reload,
  } = useAnswer(addressOf('GET /v1/syncs/:id', { id }), {
    everyMs: askAgainAfter,
    news: ['sync', 'planning', 'removed'],
    concerns: (told) => told.id === id,
  });
  useAnnounced(view);
  useTitle(view === undefined ? '' : titleOf(view));
  const isHeld = view?.state === 'held';
  const isMissing = error instanceof ApiError && error.problem.status === 404;
  return (
    <>
      <p class="note">
        {foreign(id)}
        {view && <Origin view={view} />}
      </p>
      <h1 tabIndex={-1}>{view === undefined ? (isMissing ? 'There is no such sync' : 'Sync') : titleOf(view)}</h1>
      <div class="stack">
        {error !== undefined || view === undefined ? (
          <Pending error={error} />
        ) : (
          <>
            <section class="card state col row start" aria-label="State">
              <SyncHead view={view} />
              {isOperator && view.state === 'failed' && isOfFile(view) && (
                <div class="actions col">
                  <BackToColumns kind={SYNC} href={syncHref(id)} />
                </div>
              )}
              {isOperator && <SyncActions view={view} onDone={set} onRefused={reload} />}
            </section>
            {view.guards.length > 0 && (
              <Card
                id="findings"
                title={
                  view.state === 'tried' ? 'Why a run would be held' : `Why this plan ${isHeld ? 'is' : 'was'} held`
                }
              >
                <SyncGuards id={id} guards={view.guards} isHeld={isHeld} />
              </Card>
            )}
            {view.totals !== null && (
              <Card id="plan" title="Plan by group">
                <SyncPlan id={id} isOver={view.finishedAt !== null} />
              </Card>
            )}
            <div class="pair">
              {view.totals !== null && (
                <Card id="downloads" title="Download plan">
                  <SyncDownloads view={view} />
                </Card>
              )}
              <Card id="journal" title="History">
                <Journal turns={view.moves} tones={SYNC_TONES} />
              </Card>
            </div>
          </>
        )}
      </div>
    </>
  );
}

/** Whether someone gave it a file: no undo, no expiry, and no run of a schedule. */
function isOfFile({ mode, schedule }: SyncView) {
  return (mode === 'add' || mode === 'mirror') && schedule === null;
}

/** Says aloud when the sync is in another state. */
function useAnnounced(view: SyncView | undefined) {
  const before = useRef<SyncState | undefined>(undefined);
  useEffect(() => {
    if (view !== undefined && before.current !== undefined && before.current !== view.state)
      announce(view.sentence, view.id);
    before.current = view?.state;
  }, [view?.state]);
}

function Origin({ view }: { view: SyncView }) {
  const { schedule } = view;
  return (
    <>
      <SandboxTag of={view} />
      <Reverses view={view} />
      {schedule !== null && (
        <span>
          {' '}
          Of schedule <a href={scheduleHref(schedule)}>{foreign(schedule)}</a>
        </span>
      )}
    </>
  );
}

function SyncHead({ view }: { view: SyncView }) {
  const { state, importId, totals, planning, leftInPlace: left } = view;
  const decision = decisionOf(view);
  const done = planning === null || planning.groups === 0 ? undefined : planning.done / planning.groups;
  return (
    <div class="grow col">
      <Standing sync={view} />
      {decision && (
        <p class="note">
          {decision.what}
          {decision.by !== '' && ' by '}
          <b>{foreign(decision.by)}</b>: {foreign(decision.reason)}
        </p>
      )}
      {importId !== null && (
        <p class="note">
          <a href={importHref(importId)}>The import that carries it out</a> has the outcome of every change.
        </p>
      )}
      {left !== null && <p class="notice attention">{foreign(left.sentence)}</p>}
      {(state === 'planning' || (state === 'applying' && importId === null)) && <SilentService />}
      {state === 'planning' && !standsStill(view) && <progress max={1} value={done} aria-label="Creating the plan" />}
      {importId !== null ? (
        <ItsImport id={importId} state={state} totals={totals} />
      ) : (
        totals !== null && <PlanLegend actions={totals.actions} />
      )}
      <FileNotes notes={notesOf(view)} />
      <Facts list={factsOf(view)} />
    </div>
  );
}

/** The regions are asked about while a plan is made. */
const REGIONS_EVERY_MS = 2_000;

/** Shown while the service does not answer the planning. */
function SilentService() {
  const { data } = useAnswer(addressOf('GET /v1/regions', {}), { everyMs: () => REGIONS_EVERY_MS });
  const silent = (data?.regions ?? []).filter(
    ({ circuit, waiting, active, delayed }) => circuit.state !== 'closed' && waiting + active + delayed > 0,
  );
  return (
    <div role="status">
      {silent.length > 0 && (
        <div class="notice attention">
          <p>
            <b>No call gets a usable answer in {silent.map(({ region }) => region).join(' and ')}.</b> The planning
            waits, and continues by itself when it answers again.
          </p>
        </div>
      )}
    </div>
  );
}

/** The result of the changes, whether they were taken back, and the wait of the import for a person. */
function ItsImport({ id, state, totals }: { id: string; state: SyncView['state']; totals: PlanTotals | null }) {
  const { data: view, error } = useAnswer(addressOf('GET /v1/imports/:id', { id }), {
    news: ['imports', 'sync'],
    brought: ({ imports }) => imports?.find((one) => one.id === id),
    concerns: ({ id: sync }) => sync !== undefined && isUndo({ id: sync }),
  });
  if (view === undefined)
    return error === undefined || totals === null ? null : <PlanLegend actions={totals.actions} />;
  const isOver = state !== 'applying';
  return (
    <>
      {view.state === 'blocked' && (
        <div class="notice attention" role="alert">
          <p>
            <b>Its import waits for you. </b>
            {view.sentence} {reasonOf(view)}
          </p>
          <a class="button" href={importHref(id)}>
            Decide in the import
          </a>
        </div>
      )}
      <FollowUpList followUps={view.followUps} />
      {isOver && <Legend rows={view.rows} over />}
      {totals !== null && <PlanLegend actions={totals.actions} which={isOver ? NOT_SENT : ACTIONS_SHOWN} />}
    </>
  );
}

/** Actions of a plan of which its import knows nothing. */
const NOT_SENT: typeof ACTIONS_SHOWN = ['report', 'keep'];

function factsOf(view: SyncView): (readonly [string, ComponentChildren])[] {
  const { totals, limits, finishedAt, protect, removeNamed } = view;
  const changed = Object.entries(limits).map(([name, value]) => `${name} ${grouped(value)}`);
  return [
    ['Started', <Time iso={view.createdAt} />],
    ['Finished', finishedAt && <Time iso={finishedAt} />],
    ['How', modeWords(view)],
    ['Groups', totals?.groups],
    ['Not listed', totals?.unlisted && counted(totals.unlisted, 'group')],
    ['Members', totals?.members],
    ['Already correct', totals?.right],
    ['Rows that cannot be used', totals?.invalid],
    ['Name', view.syncName && foreign(view.syncName)],
    [LABELS['left'] ?? '', view.left !== 're-add' && VALUE_LABELS['left']?.[view.left]],
    [LABELS['changed'] ?? '', view.changed !== 'restore' && VALUE_LABELS['changed']?.[view.changed]],
    ['Scopes may be lowered', view.allowDemotion && 'yes'],
    ['Uncertain ones are taken back too', view.includeUncertain && 'yes'],
    ['Bans may be lifted', view.allowUnban && 'yes'],
    ['Protected', protect.length > 0 && counted(protect.length, 'UID')],
    ['UIDs that may be removed', foreign(removeNamed.join(', '))],
    ['Created first', totals && createdWords(totals)],
    ['May create', view.create && mayCreateWords(view.create)],
    ['Guard limits', changed.join(', ')],
    ...targetFacts(view.target),
  ];
}

function SyncDownloads({ view: { id, before } }: { view: SyncView }) {
  return (
    <ul class="downloads plain lined">
      <Download
        name="Every member, with the action"
        links={linksOf(['csv', 'json'], (format) => addressOf('GET /v1/syncs/:id/plan', { id, query: { format } }))}
      />
      {before !== null && (
        <Download
          name="Members before the sync"
          note="of the groups it takes something from, as a file that imports read back"
          links={[{ text: 'CSV', href: before }]}
        />
      )}
    </ul>
  );
}
