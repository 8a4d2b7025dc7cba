/** The ways on from where an import stands: what is agreed to, left out, repaired or sent as it is. */

import { plannedUndo } from '../../../features/sync/pages/sync-actions.tsx';
import { counted } from '../../../text/wording.ts';
import type { Action, ImportView } from '../../answers.ts';
import { actionLabel, fileName } from '../../import-words.ts';
import { type ActionButton, Actions, confirmed, type Question } from '../../kit/actions.tsx';
import { foreign, importHref, repairHref, syncHref } from '../../kit/elements.tsx';
import { usePlace } from '../../place.ts';
import { call } from '../../requests.ts';
import { BackToColumns } from '../upload/file-choice.tsx';
import { IMPORT } from '../upload/upload-entry.ts';
import { type MayBeSentAsked, mayBeSent } from './before-sending.tsx';
import { ImportDownloads } from './downloads.tsx';
import { canBeRepaired, canBeUndone, decisionOf, isReviewed, rowsSentBy } from './import-rules.ts';
import type { ImportParts } from './live-import.ts';
import type { RowsWanted } from './rows-wanted.tsx';

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
export function questionOf(action: Action, views: readonly ImportView[]): Question | undefined {
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

type ActHow = Partial<Pick<MayBeSentAsked, 'yes' | 'choices' | 'agreed'>>;

type Acting = (action: Action, how?: ActHow) => (signal: AbortSignal) => Promise<void>;

/** Gives what acts on an import, after the questions that belong to it. */
export function useActing() {
  const { go } = usePlace();
  return (view: ImportView, reload: () => unknown): Acting =>
    (action, { yes = action === 'retry' ? 'Retry' : actionLabel(view, action), choices, agreed } = {}) =>
    async (signal: AbortSignal) => {
      const question = questionOf(action, [view]);
      if (question !== undefined && !(await confirmed(question))) return;
      const rows = rowsSentBy(action, view);
      if (!(await mayBeSent(view, { rows, yes, signal, choices, agreed }))) return;
      if (action === 'delete') {
        await call('DELETE /v1/imports/:id', { id: view.id }, signal);
        return go('/imports');
      }
      const after = await call(
        `POST /v1/imports/:id/${action}`,
        { id: view.id, ...(action === 'resume' && { query: choices }) },
        signal,
      );
      if (after.id === view.id) void reload();
      else go(importHref(after.id));
    };
}

interface Beside {
  /** The rows on its own page, beside which a waiting import is decided about. */
  filter?: RowsWanted;
  /** The name of the import, where it stands among others. */
  of?: string;
}

/** The ways on as buttons, the next action first. */
export function waysOf(view: ImportView, acting: Acting, { filter, of }: Beside): ActionButton[] {
  const decision = decisionOf(view);
  // Its choices and its button are on its page.
  if (isReviewed(view)) return [];
  const button = (action: Action) =>
    view.actions.includes(action) && { text: actionLabel(view, action), kind: '', act: acting(action) };
  const ways = [
    // To go on as before would only end here again, unless the service answers now.
    (decision === undefined || decision.keepsStart === true) && button('resume'),
    filter !== undefined &&
      decision !== undefined && { text: `${decision.yes}…`, kind: '', act: acting('resume', decision) },
    (filter !== undefined || decision === undefined) &&
      canBeRepaired(view, filter) && {
        text: view.edited !== undefined && filter?.hasToRepair.value === false ? 'Send repaired rows…' : 'Repair rows…',
        kind: 'button',
        act: repairHref(view.id),
      },
    button('retry'),
    button('pause'),
  ].filter((way) => way !== false);
  if (of !== undefined) return ways.map((way) => ({ ...way, label: `${way.text}: ${of}` }));
  return ways.map((way, at) => (at > 0 || view.state === 'running' ? way : { ...way, kind: `${way.kind} main` }));
}

interface ImportActionsProperties extends ImportParts {
  /** In place of those that follow from its state. */
  ways?: readonly (ActionButton | false)[];
  /** Whether another look at the columns is a way on. */
  leadsBack?: boolean;
}

export function ImportActions({
  view,
  filter,
  reload,
  ways,
  leadsBack = view.state === 'rejected',
}: ImportActionsProperties) {
  const { go } = usePlace();
  const acting = useActing()(view, reload);
  const undo = async (signal: AbortSignal) => {
    const id = await plannedUndo(view.id, false, signal);
    if (id !== undefined) go(syncHref(id));
  };
  const ends = view.actions.filter((action) => action in ENDS);
  return (
    <div class="actions col">
      <Actions
        list={ways ?? waysOf(view, acting, { filter })}
        menu={{
          label: 'More actions',
          list: [
            canBeUndone(view) && { text: 'Undo import…', kind: 'danger quiet', act: undo },
            ...ends.map((action) => ({ text: actionLabel(view, action), kind: 'danger quiet', act: acting(action) })),
          ],
        }}
      >
        {leadsBack && <BackToColumns kind={IMPORT} href={importHref(view.id)} />}
        <ImportDownloads view={view} />
      </Actions>
    </div>
  );
}
