/** The decisions about a sync: the buttons are its next steps. */
import { useSignal } from '@preact/signals';
import type { SyncAction, SyncEntry, Values } from '../../../console/answers.ts';
import { listIn } from '../../../console/format.ts';
import { settings } from '../../../console/frame.tsx';
import { Actions, type Asked, ask, textProblem } from '../../../console/kit/actions.tsx';
import { foreign, importHref, syncHref } from '../../../console/kit/elements.tsx';
import { usePlace } from '../../../console/place.ts';
import { call } from '../../../console/requests.ts';
import { MANY_ROWS, SendingFactsOfServer } from '../../../console/view/import/before-sending.tsx';
import { CHANGES, countsSentence, createdWords } from '../../../membership/plan-words.ts';
import { counted, grouped, sumOf } from '../../../text/wording.ts';
import type { SyncView } from '../api.ts';
import { guardsSentence, leavingIn, shareOf, takenBy } from './plan-rules.ts';

export function SyncActions({
  view,
  onDone,
  onRefused,
}: {
  view: SyncView;
  /** Gets the sync as it is then. */
  onDone: (view: SyncView) => void;
  /** Something else may have been done with it meanwhile. */
  onRefused: () => void;
}) {
  const { go } = usePlace();
  const isBack = useSignal(false);
  const { id, leftInPlace: left, syncName: name = '', undoOf } = view;
  const act = async (action: SyncAction, signal: AbortSignal, reason: string | undefined) => {
    try {
      const body = reason === undefined ? undefined : { reason };
      onDone(await call(`POST /v1/syncs/:id/${action}`, { id, body }, signal));
    } catch (refusal) {
      onRefused();
      throw refusal;
    }
  };
  /** With what the undo left in place because it is uncertain. */
  const again = async (signal: AbortSignal) => {
    const undo = undoOf === null ? undefined : await plannedUndo(undoOf, true, signal);
    if (undo !== undefined) go(syncHref(undo));
  };
  return (
    <div class="actions col">
      <Actions
        list={[
          ...view.next.map(({ operation: action, name: text }, at) => ({
            kind: at === 0 ? 'main' : 'quiet',
            text: action === 'apply' ? text : `${text}…`,
            question: questionOf(view, action),
            act: (signal: AbortSignal, { reason }: Values) => act(action, signal, reason),
          })),
          left !== null &&
            left.uncertain > 0 && { text: `Take back the ${grouped(left.uncertain)} uncertain too…`, act: again },
          name !== '' &&
            view.notes.some(({ code }) => code === 'LEFT') && {
              text: 'Let users back…',
              question: LET_BACK,
              act: async (signal, values) => {
                const uids = listIn(values['uids'] ?? '');
                const body = uids.length > 0 ? { uids } : {};
                await call('POST /v1/syncs/named/:name/bring-back', { name, body }, signal);
                isBack.value = true;
              },
            },
        ]}
      />
      <p role="status">{isBack.value && 'The next run adds them again.'}</p>
    </div>
  );
}

const LET_BACK: Asked = {
  question: 'Let users back who have left?',
  explanation: 'The next run adds users again whom this sync made members, who are in the file, and who are gone.',
  yes: 'Let back',
  no: 'Cancel',
  fields: { uids: { label: 'UIDs', placeholder: 'all who have left' } },
};

const REASON = {
  reason: { label: 'Reason', note: 'It is recorded with your name.', problem: textProblem('Enter a reason', 1000) },
};

/** The question before a decision; undefined where there is none. */
function questionOf({ totals, guards }: SyncView, action: SyncAction): Asked | undefined {
  if (action === 'reject')
    return {
      question: 'Reject this plan?',
      explanation: 'A rejected plan can no longer be carried out. You can make a new plan at any time.',
      yes: 'Reject plan',
      no: 'Keep it',
      fields: REASON,
    };
  // There is a plan where someone decides.
  if (totals === null) return undefined;
  const created = createdWords(totals);
  const changes = countsSentence(totals.actions, CHANGES);
  const leaving = leavingIn(totals);
  const what = created === '' ? changes : `${changes}; created first: ${created}`;
  const facts = <SendingFactsOfServer plan={takenBy(totals, settings.value?.apps)} />;
  if (action === 'approve')
    return {
      question: `Approve this plan against ${counted(sumOf(guards.map(({ count }) => count)), 'objection')}?`,
      explanation: (
        <>
          {what || 'No changes'}
          {shareOf(totals)}. {guardsSentence(guards)} The plan is approved this once, and carried out unless the file or
          the groups have changed too much.
          {facts}
        </>
      ),
      yes: `Approve and apply ${counted(totals.changes, 'change')}`,
      no: 'Cancel',
      tone: 'danger',
      fields: REASON,
    };
  if (leaving === 0 && totals.changes < MANY_ROWS) return undefined;
  return {
    question: 'Apply this plan?',
    explanation: (
      <>
        {what}. The plan is first compared with the file and the groups as they are now.
        {facts}
      </>
    ),
    yes: 'Apply plan',
    no: 'Cancel',
    tone: leaving === 0 ? 'main' : 'danger',
  };
}

/**
 * Asks what an undo is to take back, and has it planned. Gives the id of its sync, or undefined where none is wanted.
 * @param uncertain whether what is uncertain is chosen beforehand
 */
export async function plannedUndo(id: string, uncertain: boolean, signal: AbortSignal) {
  const values = await ask({
    question: 'Undo this import?',
    explanation:
      'A plan is made first: nothing is sent before you apply it. Calls without an answer are uncertain: a call that was repeated may have found members who were there before the import, and so may a row that is not confirmed.',
    yes: 'Plan the undo',
    no: 'Cancel',
    fields: {
      includeUncertain: { label: 'Also take back what calls without an answer may have done', ticked: 'true' },
    },
    initial: { includeUncertain: uncertain ? 'true' : '' },
  });
  if (values === undefined) return undefined;
  const query = values['includeUncertain'] === 'true' ? { includeUncertain: true } : {};
  return (await call('POST /v1/imports/:id/undo', { id, query }, signal)).id;
}

/** @param syncs may have the undo among them */
export function isReversed({ importId }: SyncEntry, syncs: readonly SyncEntry[]) {
  return importId !== null && syncs.some((one) => one.undoOf === importId && one.state === 'applied');
}

export function Reverses({ view: { undoOf } }: { view: SyncEntry }) {
  if (undoOf === null) return null;
  return (
    <span>
      {' '}
      Reverses import <a href={importHref(undoOf)}>{foreign(undoOf)}</a>
    </span>
  );
}
