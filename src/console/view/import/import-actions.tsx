/** The actions for an import: the buttons follow those that the server allows. */
import { useEffect } from 'preact/hooks';
import { plannedUndo } from '../../../features/sync/pages/sync-actions.tsx';
import type { Action, ImportView } from '../../answers.ts';
import { actionLabel, isUndone } from '../../import-words.ts';
import { Menu, useKeptFocus, WorkButton } from '../../kit/actions.tsx';
import { ErrorPlace, importHref, syncHref } from '../../kit/elements.tsx';
import { usePlace } from '../../place.ts';
import { ReadOtherwise } from '../upload-form.tsx';
import { isToBeAsked } from './before-sending.tsx';
import { ImportDownloads } from './downloads.tsx';
import type { LiveImport } from './live-import.ts';
import type { RowsWanted } from './rows-wanted.tsx';
import { useActing, Ways } from './ways.tsx';

const KINDS: Readonly<Partial<Record<Action, string>>> = {
  retry: 'main',
  cancel: 'danger quiet',
  delete: 'danger quiet',
};

interface ImportActionsProperties {
  live: LiveImport;
  filter: RowsWanted;
}

export function ImportActions({ live, filter }: ImportActionsProperties) {
  const view = live.view.value;
  return view === undefined ? null : <Actions live={live} filter={filter} view={view} />;
}

function Actions({ live, filter, view }: ImportActionsProperties & { view: ImportView }) {
  const { go } = usePlace();
  const acting = useActing(live, view);
  const { work, act } = acting;
  const buttons = useKeptFocus();
  const isRead = view.state === 'staged' && view.actions.includes('resume');
  useEffect(() => {
    if (isRead && isToBeAsked(view.id)) void act('resume');
  }, [isRead]);
  const undo = async () => {
    const plan = await plannedUndo(false);
    if (plan === undefined) return;
    await work.start(async (signal) => go(syncHref(await plan(view.id, signal))));
  };
  const button = (action: Action) => (
    <WorkButton key={action} busy={work.busy} kind={KINDS[action] ?? ''} onClick={() => void act(action)}>
      {actionLabel(view, action)}
    </WorkButton>
  );
  return (
    <div class="actions">
      <div class="buttons" ref={buttons}>
        {view.state === 'rejected' && <ReadOtherwise href={importHref(view.id)} formHref="/imports" />}
        {/* After a check, the ways on stand beside what it found. */}
        {view.checkedRows === undefined && <Ways view={view} filter={filter} acting={acting} />}
        {view.actions.filter((action) => action !== 'resume' && action !== 'delete').map(button)}
        {canBeUndone(view) && (
          <WorkButton busy={work.busy} onClick={() => void undo()}>
            Undo import…
          </WorkButton>
        )}
        <ImportDownloads live={live} />
        {view.actions.includes('delete') && (
          <Menu label="More actions" sign="⋯">
            {button('delete')}
          </Menu>
        )}
      </div>
      <ErrorPlace error={work.error} />
    </div>
  );
}

/** Something is left to undo, and nothing is about to. */
function canBeUndone({ finishedAt, followUps, rows: { added, banned, changed, removed, unconfirmed } }: ImportView) {
  const isTaken = followUps.some((followUp) => isUndone(followUp) || (followUp.kind === 'undo' && followUp.isOpen));
  return finishedAt !== null && added + banned + changed + removed + unconfirmed > 0 && !isTaken;
}
