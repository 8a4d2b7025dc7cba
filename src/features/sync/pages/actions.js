/** What can be decided about a sync now: the buttons follow what the server says is possible. */
import { request, syncPath } from '../../../console/api.js';
import { confirmed, reasonFor } from '../../../console/dialog.js';
import { h, syncHref } from '../../../console/element.js';
import { counted, grouped } from '../../../console/format.js';
import { ErrorPlace } from '../../../console/notice.js';
import { usePlace } from '../../../console/place.js';
import { CHANGES, countsSentence, createdWords, SYNC_ACTION_LABELS } from '../../../console/sync-words.js';
import { useKeptFocus, useWork, WorkButton } from '../../../console/work.js';
import { undoChoice, undone } from './undoing.js';

/** @import { SyncAction, SyncView } from '../../../console/sync-answers.d.ts' */

/** @type {Readonly<Record<SyncAction, string>>} */
const KINDS = { apply: 'main', approve: 'danger', reject: 'quiet' };

/** @param {{ view: SyncView, onDone: (view: SyncView) => void }} properties `onDone` gets the sync as it is then */
export function SyncActions({ view, onDone }) {
  const { go } = usePlace();
  const work = useWork();
  const buttons = useKeptFocus();
  /** @param {SyncAction} action */
  const act = async (action) => {
    const body = await decision(view, action);
    if (body === undefined) return;
    await work.start(async (signal) =>
      onDone(await request(syncPath(view.id, `/${action}`), { method: 'POST', signal, ...body })),
    );
  };
  const { left, undoOf } = view;
  const again = async () => {
    const chosen = await undoChoice(true);
    if (chosen === undefined || undoOf === null) return;
    await work.start(async (signal) => go(syncHref(await undone(undoOf, chosen, signal))));
  };
  const isUncertain = left !== null && left.uncertain > 0;
  return h(
    'div',
    { class: 'actions', hidden: view.actions.length === 0 && !isUncertain && work.error === undefined },
    h(
      'div',
      { class: 'buttons', ref: buttons },
      view.actions.map((action) =>
        h(
          WorkButton,
          { key: action, busy: work.busy, kind: KINDS[action], onClick: () => void act(action) },
          labelFor(view, action),
        ),
      ),
      isUncertain &&
        h(
          WorkButton,
          { key: 'again', busy: work.busy, onClick: () => void again() },
          `Take back the ${grouped(left.uncertain)} uncertain too…`,
        ),
    ),
    h(ErrorPlace, { error: work.error }),
  );
}

/** @param {SyncView} view @param {SyncAction} action */
function labelFor({ totals }, action) {
  return action === 'apply' && totals !== null
    ? `Apply ${counted(totals.changes, 'change')}`
    : SYNC_ACTION_LABELS[action];
}

/**
 * The body of the request; undefined when it is not to be sent.
 * @param {SyncView} view
 * @param {SyncAction} action
 * @returns {Promise<{ body?: string, type?: string } | undefined>}
 */
async function decision({ totals, guards }, action) {
  const created = totals === null ? '' : createdWords(totals);
  const changes = totals === null ? '' : countsSentence(totals.actions, CHANGES);
  const what = created === '' ? changes : `${changes}; created first: ${created}`;
  if (action === 'apply') {
    if (totals === null || totals.actions.remove + totals.actions.ban === 0) return {};
    const yes = await confirmed({
      question: 'Apply this plan?',
      explanation: `${what}. The plan is first compared with the file and the groups as they are now.`,
      yes: 'Apply plan',
      no: 'Cancel',
    });
    return yes ? {} : undefined;
  }
  const reason = await reasonFor(
    action === 'approve'
      ? {
          question: `Approve this plan against ${counted(objectionsIn(guards), 'objection')}?`,
          explanation: `${what || 'No changes'}${shareOf(totals)}. ${guardsSentence(guards)} The plan is approved this once, and carried out unless the file or the groups have changed too much.`,
          yes: totals === null ? 'Approve and apply' : `Approve and apply ${counted(totals.changes, 'change')}`,
          no: 'Cancel',
          tone: 'danger',
        }
      : {
          question: 'Reject this plan?',
          explanation: 'A rejected plan can no longer be carried out. You can make a new plan at any time.',
          yes: 'Reject plan',
          no: 'Keep it',
          tone: 'main',
        },
  );
  return reason === undefined ? undefined : { body: JSON.stringify({ reason }), type: 'application/json' };
}

/** @param {SyncView['guards']} guards */
function objectionsIn(guards) {
  return guards.reduce((sum, { count }) => sum + count, 0);
}

/** @param {SyncView['guards']} guards */
function guardsSentence(guards) {
  const parts = guards.map(({ guard, count }) => (count === 1 ? guard : `${guard} (${grouped(count)} groups)`));
  return parts.length === 0 ? '' : `Guards that object: ${parts.join(', ')}.`;
}

/** How much of the membership would leave. @param {SyncView['totals']} totals */
function shareOf(totals) {
  const leaving = totals === null ? 0 : totals.actions.remove + totals.actions.ban;
  if (totals === null || leaving === 0 || totals.members === 0) return '';
  const percent = Math.round((leaving / totals.members) * 100);
  return `: ${grouped(leaving)} of ${counted(totals.members, 'member')} (${percent === 0 ? 'less than 1' : percent} %) would leave`;
}
