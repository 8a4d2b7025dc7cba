/** The ways on from where an import stands: what is agreed to, left out, repaired or sent as it is. */

import { plannedUndo } from '../../../features/sync/pages/undo.tsx';
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
import type { ImportParts, LiveImport } from './live-import.ts';
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

/** Gives what acts on the import, after the questions that belong to it. */
export function useActing(live: Pick<LiveImport, 'load'>, view: ImportView) {
  const { go } = usePlace();
  return (
    action: Action,
    { yes = action === 'retry' ? 'Retry' : actionLabel(view, action), choices, agreed }: ActHow = {},
  ) =>
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
      if (after.id === view.id) void live.load(signal);
      else go(importHref(after.id));
    };
}

interface Beside {
  /** The rows on its own page, beside which a waiting import is decided about. */
  filter?: RowsWanted;
  /** The name of the import, where it stands among others. */
  of?: string;
}

/** The ways on as buttons. */
export function waysOf(
  view: ImportView,
  acting: ReturnType<typeof useActing>,
  { filter, of }: Beside,
): (ActionButton | false)[] {
  const decision = decisionOf(view);
  // Its choices and its button are on its page.
  if (isReviewed(view)) return [];
  // To go on as before would only end here again, unless the service answers now.
  const mayResume = view.actions.includes('resume') && (decision === undefined || decision.keepsStart === true);
  const isOnlyWay = ![mayResume, decision !== undefined, view.actions.includes('retry')].includes(true);
  const named = (text: string) => (of === undefined ? undefined : `${text}: ${of}`);
  const main = of === undefined ? 'main' : '';
  const resume = actionLabel(view, 'resume');
  return [
    mayResume && { text: resume, label: named(resume), kind: main, act: acting('resume') },
    filter !== undefined &&
      decision !== undefined && {
        text: `${decision.yes}…`,
        kind: decision.keepsStart ? '' : 'main',
        act: acting('resume', decision),
      },
    (filter !== undefined || decision === undefined) &&
      canBeRepaired(view, filter) && {
        text: view.edited !== undefined && filter?.hasToRepair.value === false ? 'Send repaired rows…' : 'Repair rows…',
        label: named('Repair rows'),
        kind: isOnlyWay ? `button ${main}` : 'button',
        act: repairHref(view.id),
      },
  ];
}

const KINDS: Readonly<Partial<Record<Action, string>>> = {
  retry: 'main',
  cancel: 'danger quiet',
  delete: 'danger quiet',
};

interface ImportActionsProperties extends ImportParts {
  /** Before the others. */
  first?: readonly (ActionButton | false)[];
  /** Whether another look at the columns is a way on. */
  leadsBack?: boolean;
}

export function ImportActions({
  live,
  view,
  filter,
  first = [],
  leadsBack = view.state === 'rejected',
}: ImportActionsProperties) {
  const { go } = usePlace();
  const acting = useActing(live, view);
  const undo = async (signal: AbortSignal) => {
    const id = await plannedUndo(view.id, false, signal);
    if (id !== undefined) go(syncHref(id));
  };
  const those = (...wanted: readonly Action[]) =>
    view.actions
      .filter((action) => wanted.includes(action))
      .map((action) => ({ text: actionLabel(view, action), kind: KINDS[action] ?? '', act: acting(action) }));
  return (
    <div class="actions col">
      <Actions
        list={[...first, ...waysOf(view, acting, { filter }), ...those('pause', 'retry')]}
        menu={{
          label: 'More actions',
          list: [
            canBeUndone(view) && { text: 'Undo import…', kind: 'danger quiet', act: undo },
            ...those('cancel', 'delete'),
          ],
        }}
      >
        {leadsBack && <BackToColumns kind={IMPORT} href={importHref(view.id)} />}
        <ImportDownloads view={view} />
      </Actions>
    </div>
  );
}
