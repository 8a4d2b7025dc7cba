/** The decisions about a sync: the buttons follow the actions that the server allows. */
import { useSignal } from '@preact/signals';
import type { SyncAction } from '../../../console/answers.ts';
import { listIn } from '../../../console/format.ts';
import { Actions, ask, confirmed, reasonFor } from '../../../console/kit/actions.tsx';
import { syncHref } from '../../../console/kit/elements.tsx';
import { usePlace } from '../../../console/place.ts';
import { call } from '../../../console/requests.ts';
import { createdWords } from '../../../console/sync-words.ts';
import { MANY_ROWS, SendingFactsOfServer } from '../../../console/view/import/before-sending.tsx';
import { CHANGES, countsSentence } from '../../../membership/plan-words.ts';
import { counted, grouped } from '../../../text/wording.ts';
import type { SyncView } from '../api.ts';
import { guardsSentence, leavingIn, objectionsIn, shareOf, takenBy } from './plan-rules.ts';
import { undoneAgain } from './undo.tsx';

const BUTTONS: Readonly<Record<SyncAction, { label: string; kind: string }>> = {
  apply: { label: 'Apply', kind: 'main' },
  approve: { label: 'Approve…', kind: 'main' },
  reject: { label: 'Reject…', kind: 'quiet' },
};

interface SyncActionsProperties {
  view: SyncView;
  /** Gets the sync as it is then. */
  onDone: (view: SyncView) => void;
  /** Something else may have been done with it meanwhile. */
  onRefused: () => void;
}

export function SyncActions({ view, onDone, onRefused }: SyncActionsProperties) {
  const { go } = usePlace();
  const isBack = useSignal(false);
  const { leftInPlace: left, syncName, totals } = view;
  const act = async (action: SyncAction, signal: AbortSignal) => {
    const agreed = await decision(view, action);
    if (agreed === undefined) return;
    try {
      onDone(await call(`POST /v1/syncs/:id/${action}`, { id: view.id, body: agreed.body }, signal));
    } catch (refusal) {
      onRefused();
      throw refusal;
    }
  };
  const again = async (signal: AbortSignal) => {
    const id = await undoneAgain(view, signal);
    if (id !== undefined) go(syncHref(id));
  };
  const letBack = async (signal: AbortSignal) => {
    const values = await ask({
      question: 'Let users back who have left?',
      explanation: 'The next run adds users again whom this sync made members, who are in the file, and who are gone.',
      yes: 'Let back',
      no: 'Cancel',
      fields: { uids: { label: 'UIDs', placeholder: 'all who have left' } },
    });
    if (values === undefined) return;
    const uids = listIn(values['uids'] ?? '');
    const name = syncName ?? '';
    await call('POST /v1/syncs/named/:name/bring-back', { name, body: uids.length > 0 ? { uids } : {} }, signal);
    isBack.value = true;
  };
  return (
    <div class="actions col">
      <Actions
        list={[
          ...view.actions.map((action) => ({
            kind: BUTTONS[action].kind,
            text:
              action === 'apply' && totals !== null
                ? `Apply ${counted(totals.changes, 'change')}`
                : BUTTONS[action].label,
            act: (signal: AbortSignal) => act(action, signal),
          })),
          left !== null &&
            left.uncertain > 0 && { text: `Take back the ${grouped(left.uncertain)} uncertain too…`, act: again },
          syncName !== undefined &&
            view.notes.some(({ code }) => code === 'LEFT') && { text: 'Let users back…', act: letBack },
        ]}
      />
      <p role="status">{isBack.value && 'The next run adds them again.'}</p>
    </div>
  );
}

/** The body of the request; undefined when it is not to be sent. */
async function decision(
  { totals, guards }: SyncView,
  action: SyncAction,
): Promise<{ body?: { reason: string } } | undefined> {
  const created = totals === null ? '' : createdWords(totals);
  const changes = totals === null ? '' : countsSentence(totals.actions, CHANGES);
  const leaving = leavingIn(totals);
  const what = created === '' ? changes : `${changes}; created first: ${created}`;
  if (action === 'apply') {
    if (totals === null || (leaving === 0 && totals.changes < MANY_ROWS)) return {};
    const yes = await confirmed({
      question: 'Apply this plan?',
      explanation: (
        <>
          {what}. The plan is first compared with the file and the groups as they are now.
          <SendingFactsOfServer plan={takenBy(totals)} />
        </>
      ),
      yes: 'Apply plan',
      no: 'Cancel',
      tone: leaving === 0 ? 'main' : 'danger',
    });
    return yes ? {} : undefined;
  }
  const reason = await reasonFor(
    action === 'approve'
      ? {
          question: `Approve this plan against ${counted(objectionsIn(guards), 'objection')}?`,
          explanation: (
            <>
              {what || 'No changes'}
              {shareOf(totals)}. {guardsSentence(guards)} The plan is approved this once, and carried out unless the
              file or the groups have changed too much.
              {totals !== null && <SendingFactsOfServer plan={takenBy(totals)} />}
            </>
          ),
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
  return reason === undefined ? undefined : { body: { reason } };
}
