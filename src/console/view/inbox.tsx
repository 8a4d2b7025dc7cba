/** The things that wait for a person: each with its reason, and the button or the link that solves it. */

import type { ComponentChildren } from 'preact';
import { sumOfOutcomes } from '../../membership/outcome.ts';
import { counted, grouped } from '../../text/wording.ts';
import type { ImportView, Night, Overview, RunningImport, SyncEntry, Tone } from '../answers.ts';
import { actionLabel, fileName, stateLabel, stateSentence, stateTone, withoutFailing } from '../import-words.ts';
import { useWork, WorkButton } from '../kit/actions.tsx';
import { Badge, Card, ErrorPlace, foreign, importHref, RepairLink, syncHref, Time } from '../kit/elements.tsx';
import { refreshOverview } from '../live.ts';
import { usePlace } from '../place.ts';
import { call } from '../requests.ts';
import { CHANGES, countsSentence, SYNC_TONES, titleOf } from '../sync-words.ts';
import { mayBeSent, type ResumeQuery } from './import/before-sending.tsx';
export function Needs({ overview: { needs, waiting, attention, running, syncs, nights } }: { overview: Overview }) {
  const stopped = running.filter(({ stoppedRegions }) => stoppedRegions.length > 0);
  const failed = nights.filter(({ paused, result }) => !paused && (result === 'failed' || result === 'missed'));
  const unlisted = needs.imports - waiting.length - attention.length - stopped.length;
  const unlistedSyncs = needs.syncs - syncs.length;
  return (
    <Card id="needs" title="Needs you">
      <ul class="plain inbox">
        {syncs.map((sync) => (
          <SyncItem key={sync.id} sync={sync} />
        ))}
        {stopped.map((view) => (
          <StoppedItem key={view.id} view={view} />
        ))}
        {waiting.map((view) => (
          <ImportItem key={view.id} view={view} />
        ))}
        {attention.map((view) => (
          <ImportItem key={view.id} view={view} canDismiss />
        ))}
        {failed.map((night) => (
          <RunItem key={`night ${night.name}`} night={night} />
        ))}
      </ul>
      {unlisted > 0 && (
        <p>
          <a href="/imports?problems=true">{counted(unlisted, 'more import')}</a>
        </p>
      )}
      {unlistedSyncs > 0 && (
        <p>
          <a href="/syncs?state=planned,held">{counted(unlistedSyncs, 'more sync')}</a>
        </p>
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
  next: ComponentChildren;
}

function Item({ href, name, tone, state, text, next }: ItemProperties) {
  return (
    <li>
      <div>
        <p class="inbox-head">
          <a href={href}>{foreign(name)}</a> <Badge tone={tone}>{state}</Badge>
        </p>
        <p class="soft">{text}</p>
      </div>
      <div class="buttons">{next}</div>
    </li>
  );
}

function SyncItem({ sync }: { sync: SyncEntry }) {
  const { id, state, schedule, totals, createdAt } = sync;
  const changes = totals === null ? '' : countsSentence(totals.actions, CHANGES);
  return (
    <Item
      href={syncHref(id)}
      name={titleOf(sync)}
      tone={SYNC_TONES[state]}
      state={state}
      text={
        <>
          {state === 'held' ? 'Guards hold this plan back' : 'This plan waits to be applied'}
          {changes === '' ? '.' : `: ${changes}.`}
          {schedule !== null && <> Made by schedule {foreign(schedule)}.</>} · <Time iso={createdAt} />
        </>
      }
      next={
        <a class="button" href={syncHref(id)}>
          Review the plan
        </a>
      }
    />
  );
}

function StoppedItem({ view: { id, file, stoppedRegions } }: { view: RunningImport }) {
  return (
    <Item
      href={importHref(id)}
      name={fileName(file)}
      tone="attention"
      state={`${stoppedRegions.join(', ')} stopped`}
      text={`The service refused the key or plan of ${stoppedRegions.length === 1 ? 'region' : 'regions'} ${stoppedRegions.join(', ')}. The other regions continue.`}
      next={
        <a class="button" href={importHref(id)}>
          See what to do
        </a>
      }
    />
  );
}

function ImportItem({ view, canDismiss = false }: { view: ImportView; canDismiss?: boolean }) {
  const { isOperator } = usePlace();
  const work = useWork();
  const { id, file, maxCreate, maxRemovals } = view;
  const mayResume = isOperator && view.actions.includes('resume') && (maxCreate ?? maxRemovals) === undefined;
  const without = withoutFailing(view);
  const resume = (yes: string, choices: ResumeQuery = {}) =>
    work.start(async (signal) => {
      const rows = view.rows.read - sumOfOutcomes(view.rows);
      if (!(await mayBeSent(view, { rows, yes, signal, choices }))) return;
      await call('POST /v1/imports/:id/resume', { id, query: choices }, signal);
      refreshOverview();
    });
  const dismiss = () =>
    work.start(async (signal) => {
      await call('POST /v1/imports/actions', { body: { action: 'dismiss', ids: [id] } }, signal);
      refreshOverview();
    });
  return (
    <Item
      href={importHref(id)}
      name={fileName(file)}
      tone={stateTone(view)}
      state={stateLabel(view)}
      text={
        <>
          {stateSentence(view)} · <Time iso={view.createdAt} />
          <ErrorPlace error={work.error} />
        </>
      }
      next={
        <>
          {mayResume && without !== undefined && (
            <WorkButton
              busy={work.busy}
              kind="main"
              onClick={() => void resume(without, { leaveOutFailing: 'true' })}
              label={`${without}: ${fileName(file)}`}
            >
              {without}…
            </WorkButton>
          )}
          {mayResume && (
            <WorkButton
              busy={work.busy}
              onClick={() => void resume(actionLabel(view, 'resume'))}
              label={`${actionLabel(view, 'resume')}: ${fileName(file)}`}
            >
              {actionLabel(view, 'resume')}
            </WorkButton>
          )}
          {mayResume && mayRepair(view) && (
            <RepairLink class="button" id={id} label={`Repair rows: ${fileName(file)}`}>
              Repair rows…
            </RepairLink>
          )}
          {canDismiss && isOperator && (
            <WorkButton busy={work.busy} onClick={() => void dismiss()} label={`Dismiss ${fileName(file)}`}>
              Dismiss
            </WorkButton>
          )}
          <a class="button" href={importHref(id)} aria-label={`Open ${fileName(file)}`}>
            Open
          </a>
        </>
      }
    />
  );
}

/** Rows of a checked import can be edited before it is sent. */
function mayRepair({ checkedRows, edited }: ImportView) {
  return (checkedRows?.wouldFail ?? 0) > 0 || edited !== undefined;
}

function RunItem({ night }: { night: Night }) {
  const { name, result, run, unsuccessful } = night;
  const sync = run?.sync ?? null;
  return (
    <Item
      href="/schedules"
      name={name}
      tone="attention"
      state={result === 'missed' ? 'run missed' : 'run failed'}
      text={[runSentence(night), unsuccessful > 1 ? ` ${grouped(unsuccessful)} runs in a row did not succeed.` : '']}
      next={
        <a class="button" href={sync === null ? '/schedules' : syncHref(sync.id)}>
          {sync === null ? 'Open schedules' : 'Open the sync'}
        </a>
      }
    />
  );
}

/** Returns the reason why a run did not succeed, as a sentence. */
function runSentence({ result, run }: Night) {
  if (result === 'missed' && run?.state === 'skipped-running')
    return 'The last run was skipped: the one before was not over.';
  if (result === 'missed') return 'The last run was missed: no server was running at its time.';
  const reason = run?.reason ?? '';
  return reason === '' ? 'The last run failed.' : `The last run failed: ${reason}.`;
}

/** Things that a person may continue and no one waits for: checked files, paused imports, plans made to be looked at. */
export function Ready({ ready: { imports, syncs } }: { ready: Overview['ready'] }) {
  return (
    <Card id="ready" title="Ready when you are">
      <ul class="plain inbox">
        {imports.map((view) => (
          <ImportItem key={view.id} view={view} />
        ))}
        {syncs.map((sync) => (
          <SyncItem key={sync.id} sync={sync} />
        ))}
      </ul>
      <p class="note">
        All <a href="/imports?state=paused,staged">checked files and paused imports</a>, all{' '}
        <a href="/syncs?state=planned,held">plans</a>.
      </p>
    </Card>
  );
}
