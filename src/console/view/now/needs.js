/** What waits for a person: each with why, and the button or the link that solves it. */
import { importPath, request } from '../../api.js';
import { Badge, Card, foreign, h, importHref, syncHref } from '../../element.js';
import { counted, grouped } from '../../format.js';
import { ErrorPlace } from '../../notice.js';
import { refreshOverview } from '../../overview.js';
import { usePlace } from '../../place.js';
import { CHANGES, countsSentence, SYNC_TONES, titleOf } from '../../sync-words.js';
import { Time } from '../../time.js';
import { actionLabel, fileName, settled, stateLabel, stateSentence, stateTone } from '../../words.js';
import { useWork, WorkButton } from '../../work.js';
import { mayBeSent } from '../import/before-sending.js';
import { nightSentence } from './nights.js';

/** @import { ComponentChildren } from 'preact' */
/** @import { ImportView, Night, Overview, RunningImport } from '../../answers.d.ts' */
/** @import { SyncEntry } from '../../sync-answers.d.ts' */

/** @param {{ overview: Overview }} properties */
export function Needs({ overview: { needs, waiting, attention, running, syncs, nights } }) {
  const stopped = running.filter(({ stoppedRegions }) => stoppedRegions.length > 0);
  const failed = nights.filter(({ paused, result }) => !paused && (result === 'failed' || result === 'missed'));
  const unlisted = needs.imports - waiting.length - attention.length - stopped.length;
  const unlistedSyncs = needs.syncs - syncs.length;
  return h(
    Card,
    { id: 'needs', title: 'Needs you' },
    h(
      'ul',
      { class: 'plain inbox' },
      syncs.map((sync) => h(SyncItem, { key: sync.id, sync })),
      stopped.map((view) => h(StoppedItem, { key: view.id, view })),
      waiting.map((view) => h(ImportItem, { key: view.id, view })),
      attention.map((view) => h(ImportItem, { key: view.id, view, canDismiss: true })),
      failed.map((night) => h(NightItem, { key: `night ${night.name}`, night })),
    ),
    unlisted > 0 && h('p', null, h('a', { href: '/imports?problems=true' }, counted(unlisted, 'more import'))),
    unlistedSyncs > 0 &&
      h('p', null, h('a', { href: '/syncs?state=planned,held' }, counted(unlistedSyncs, 'more sync'))),
  );
}

/**
 * @param {object} properties
 * @param {ComponentChildren} properties.head
 * @param {ComponentChildren} properties.text
 * @param {ComponentChildren} properties.next
 */
function Item({ head, text, next }) {
  return h(
    'li',
    null,
    h('div', null, h('p', { class: 'inbox-head' }, head), h('p', { class: 'soft' }, text)),
    h('div', { class: 'buttons' }, next),
  );
}

/** @param {{ sync: SyncEntry }} properties */
export function SyncItem({ sync: { id, state, file, undoOf, schedule, totals, createdAt } }) {
  const changes = totals === null ? '' : countsSentence(totals.actions, CHANGES);
  return h(Item, {
    head: [
      h('a', { href: syncHref(id) }, foreign(titleOf({ file, undoOf }))),
      ' ',
      h(Badge, { tone: SYNC_TONES[state] }, state),
    ],
    text: [
      state === 'held' ? 'Guards hold this plan back' : 'This plan waits to be applied',
      changes === '' ? '.' : `: ${changes}.`,
      schedule !== null && [' Made by schedule ', foreign(schedule), '.'],
      ' · ',
      h(Time, { iso: createdAt }),
    ],
    next: h('a', { class: 'button', href: syncHref(id) }, 'Review the plan'),
  });
}

/** @param {{ view: RunningImport }} properties */
function StoppedItem({ view: { id, file, stoppedRegions } }) {
  return h(Item, {
    head: [
      h('a', { href: importHref(id) }, foreign(fileName(file))),
      ' ',
      h(Badge, { tone: 'attention' }, `${stoppedRegions.join(', ')} stopped`),
    ],
    text: `The service refused the key or plan of ${stoppedRegions.length === 1 ? 'region' : 'regions'} ${stoppedRegions.join(', ')}. The other regions continue.`,
    next: h('a', { class: 'button', href: importHref(id) }, 'See what to do'),
  });
}

/** @param {{ view: ImportView, canDismiss?: boolean }} properties */
export function ImportItem({ view, canDismiss = false }) {
  const { isOperator } = usePlace();
  const work = useWork();
  const { id, file, maxCreate, maxRemovals } = view;
  const mayResume = isOperator && view.actions.includes('resume') && (maxCreate ?? maxRemovals) === undefined;
  const resume = () =>
    work.start(async (signal) => {
      const rows = view.rows.read - settled(view.rows);
      if (!(await mayBeSent(view, { rows, yes: actionLabel(view, 'resume'), signal }))) return;
      await request(importPath(id, '/resume'), { method: 'POST', signal });
      refreshOverview();
    });
  const dismiss = () =>
    work.start(async (signal) => {
      const body = JSON.stringify({ action: 'dismiss', ids: [id] });
      await request('/v1/imports/actions', { method: 'POST', type: 'application/json', body, signal });
      refreshOverview();
    });
  return h(Item, {
    head: [
      h('a', { href: importHref(id) }, foreign(fileName(file))),
      ' ',
      h(Badge, { tone: stateTone(view) }, stateLabel(view)),
    ],
    text: [stateSentence(view), ' · ', h(Time, { iso: view.createdAt }), h(ErrorPlace, { error: work.error })],
    next: [
      mayResume &&
        h(
          WorkButton,
          {
            key: 'resume',
            busy: work.busy,
            onClick: () => void resume(),
            label: `${actionLabel(view, 'resume')}: ${fileName(file)}`,
          },
          actionLabel(view, 'resume'),
        ),
      canDismiss &&
        isOperator &&
        h(
          WorkButton,
          { key: 'dismiss', busy: work.busy, onClick: () => void dismiss(), label: `Dismiss ${fileName(file)}` },
          'Dismiss',
        ),
      h('a', { key: 'open', class: 'button', href: importHref(id), 'aria-label': `Open ${fileName(file)}` }, 'Open'),
    ],
  });
}

/** @param {{ night: Night }} properties */
function NightItem({ night }) {
  const { name, result, run, unsuccessful } = night;
  const sync = run?.sync ?? null;
  return h(Item, {
    head: [
      h('a', { href: '/schedules' }, foreign(name)),
      ' ',
      h(Badge, { tone: 'attention' }, result === 'missed' ? 'run missed' : 'run failed'),
    ],
    text: [nightSentence(night), unsuccessful > 1 ? ` ${grouped(unsuccessful)} runs in a row did not succeed.` : ''],
    next:
      sync === null
        ? h('a', { class: 'button', href: '/schedules' }, 'Open schedules')
        : h('a', { class: 'button', href: syncHref(sync.id) }, 'Open the sync'),
  });
}
