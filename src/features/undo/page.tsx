/** Users and groups that an import created, and deleting them when the import was undone. */
import { confirmed } from '../../console/dialog.tsx';
import { ErrorNotice, ErrorPlace, foreign, Tag } from '../../console/elements.tsx';
import { usePlace } from '../../console/place.ts';
import { requestsOf } from '../../console/requests.ts';
import { useAnswer } from '../../console/use-answer.ts';
import { TargetOfServer } from '../../console/view/import/before-sending.tsx';
import { useWork, WorkButton } from '../../console/work.tsx';
import { grouped } from '../../text/wording.ts';
import type { createdOperations } from './operations.ts';

const { addressOf, call } = requestsOf<typeof createdOperations>();

const ASK_EVERY_MS = 1000;
const SHOWN = 50;

const FATES: Readonly<Record<string, string>> = { deleted: 'deleted', gone: 'not there any more', kept: 'kept' };

/** `id`: of an import that created something. */
export function ImportCreated({ id }: { id: string }) {
  const { isOperator } = usePlace();
  const work = useWork();
  const path = addressOf('GET /v1/imports/:id/created', { id });
  const {
    data: made,
    error,
    set,
  } = useAnswer(path, { everyMs: (known) => (known?.progress ? ASK_EVERY_MS : undefined) });
  if (made === undefined) return error === undefined ? null : <ErrorNotice error={error} />;
  const { things, total, deletable, isTakenBack, progress, reason } = made;
  const what = deletable === total ? 'what was created' : `${grouped(deletable)} of what was created`;
  const remove = async () => {
    const yes = await confirmed({
      question: `Delete ${what} for good?`,
      explanation: (
        <>
          Deleted users and groups, and their messages, cannot be brought back. Kept is what was there before the
          import, groups with members whom it does not name, and users whom others have put into groups; each is looked
          at again first.
          <TargetOfServer />
        </>
      ),
      yes: 'Delete for good',
      no: 'Keep everything',
    });
    if (yes) await work.start(async (signal) => set(await call('DELETE /v1/imports/:id/created', { id }, signal)));
  };
  return (
    <>
      <ul class="plain">
        {things.slice(0, SHOWN).map(({ kind, region, name, outcome, undone, isUsed, why }) => (
          <li key={`${kind} ${region} ${name}`}>
            {kind} <b>{foreign(name)}</b> ({region}){outcome === 'reactivated' && ', made active again'}
            {undone !== null && (
              <>
                {' '}
                <Tag>{FATES[undone] ?? undone}</Tag>
              </>
            )}
            {undone === null && isUsed && (
              <>
                {' '}
                <Tag>would be kept</Tag>
              </>
            )}
            {why !== '' && <> {foreign(why)}</>}
          </li>
        ))}
      </ul>
      {total > SHOWN && (
        <p class="note">And {grouped(total - SHOWN)} more: the column _created of the report has all.</p>
      )}
      <p class="note" role="status">
        {progress !== null ? (
          `Deleting: ${grouped(progress.done)} of ${grouped(progress.of)} looked at.`
        ) : reason !== '' ? (
          <>Deleting stopped: {foreign(reason)}. What is left can be deleted again.</>
        ) : deletable > 0 && !isTakenBack ? (
          'Undoing the import does not delete them. When it is undone, they can be deleted here.'
        ) : (
          ''
        )}
      </p>
      {isOperator && isTakenBack && deletable > 0 && progress === null && (
        <div class="buttons">
          <WorkButton busy={work.busy} kind="danger quiet" onClick={() => void remove()}>
            Delete {what}…
          </WorkButton>
        </div>
      )}
      <ErrorPlace error={work.error} />
    </>
  );
}
