/** The ways on from where an import stands: what is agreed to, left out, corrected or sent as it is. */

import { plannedUndo } from '../../../features/sync/pages/sync-actions.tsx';
import { counted } from '../../../text/wording.ts';
import type { Action, ImportView } from '../../answers.ts';
import { ACTION_LABELS, fileName } from '../../import-words.ts';
import { type ActionButton, Actions, type Asked, confirmed } from '../../kit/actions.tsx';
import { foreign, importHref, syncHref } from '../../kit/elements.tsx';
import { usePlace } from '../../place.ts';
import { call } from '../../requests.ts';
import { BackToColumns } from '../upload/file-choice.tsx';
import { IMPORT } from '../upload/upload-entry.ts';
import { mayBeSent, type Step } from './before-sending.tsx';
import { ImportDownloads } from './downloads.tsx';
import { canBeUndone, isReviewed } from './import-rules.ts';
import type { ImportParts } from './live-import.ts';
import { rowsHref, TO_CORRECT } from './rows-wanted.tsx';

/** Those that cannot be undone are asked for twice. */
const ENDS: Readonly<Partial<Record<Action, readonly [label: string, explanation: string, no: string]>>> = {
  cancel: [
    'Cancel',
    'Calls in flight finish, and what was sent stays. Rows that are still open will not be sent; they can be retried, but a cancelled import cannot be resumed.',
    'Keep running',
  ],
  delete: ['Delete', 'The file and all records of its rows will be deleted. Memberships do not change.', 'Keep it'],
};

/** The question before an action on these imports; undefined where there is none. */
export function questionOf(action: Action, views: readonly ImportView[]): Asked | undefined {
  const asked = ENDS[action];
  if (asked === undefined) return undefined;
  const [label, explanation, no] = asked;
  const [one] = views;
  const what = views.length === 1 && one !== undefined ? fileName(one.file) : counted(views.length, 'import');
  return {
    question: foreign(`${label} ${what}?`),
    explanation,
    yes: `${label} ${views.length === 1 ? 'import' : 'imports'}`,
    no,
  };
}

type Acting = (step: Step) => (signal: AbortSignal) => Promise<void>;

/** Gives what acts on an import, after the questions that belong to it. */
export function useActing() {
  const { go } = usePlace();
  return (view: ImportView, reload: () => unknown): Acting =>
    (step) =>
    async (signal: AbortSignal) => {
      const { id } = view;
      const { operation, query } = step;
      const question = questionOf(operation, [view]);
      if (question !== undefined && !(await confirmed(question))) return;
      if (!(await mayBeSent(view, step, signal))) return;
      if (operation === 'delete') {
        await call('DELETE /v1/imports/:id', { id }, signal);
        return go('/imports');
      }
      const after = await call(`POST /v1/imports/:id/${operation}`, { id, ...(query && { query }) }, signal);
      if (after.id === id) void reload();
      else go(importHref(after.id));
    };
}

/**
 * Its next steps as buttons; to cancel it is in the menu.
 * @param of its name, where it stands among others: what has to be looked at first is on its page
 */
export function waysOf(view: ImportView, acting: Acting, of?: string): ActionButton[] {
  const { id, next, actions, state } = view;
  const pause = { operation: 'pause' as const, name: 'Pause' };
  const steps = [...next, ...(actions.includes('pause') ? [pause] : [])];
  return steps
    .filter(({ operation }) => operation !== 'cancel')
    .map((step, at) => {
      const isCorrection = step.operation === 'correct';
      const isAgreed = 'query' in step && step.query !== undefined;
      const text = isCorrection || isAgreed ? `${step.name}…` : step.name;
      const leads = isCorrection
        ? rowsHref(id, TO_CORRECT)
        : of !== undefined && (isAgreed || isReviewed(view)) && importHref(id);
      const isMain = at === 0 && of === undefined && state !== 'running';
      return {
        text,
        label: of && `${text}: ${of}`,
        kind: [leads && 'button', isMain && 'main'].filter(Boolean).join(' '),
        act: leads || acting(step as Step),
      };
    });
}

interface ImportActionsProperties extends ImportParts {
  /** In place of those that follow from its state. */
  ways?: readonly (ActionButton | false)[];
  /** Whether another look at the columns is a way on. */
  leadsBack?: boolean;
}

export function ImportActions({ view, reload, ways, leadsBack = view.state === 'rejected' }: ImportActionsProperties) {
  const { go } = usePlace();
  const acting = useActing()(view, reload);
  const undo = async (signal: AbortSignal) => {
    const id = await plannedUndo(view.id, false, signal);
    if (id !== undefined) go(syncHref(id));
  };
  const ends = (['cancel', 'delete'] as const).filter((action) => view.actions.includes(action));
  return (
    <div class="actions col">
      <Actions
        list={ways ?? waysOf(view, acting)}
        menu={{
          label: 'More actions',
          list: [
            canBeUndone(view) && { text: 'Undo import…', kind: 'danger quiet', act: undo },
            ...ends.map((operation) => ({
              text: ACTION_LABELS[operation],
              kind: 'danger quiet',
              act: acting({ operation, name: ACTION_LABELS[operation] }),
            })),
          ],
        }}
      >
        {leadsBack && <BackToColumns kind={IMPORT} href={importHref(view.id)} />}
        <ImportDownloads view={view} />
      </Actions>
    </div>
  );
}
