/** Users and groups that an import created, and deleting them when the import was undone. */
import { useAnswer } from '../../../console/answer.js';
import { importPath, request } from '../../../console/api.js';
import { confirmed } from '../../../console/dialog.js';
import { foreign, h, Tag } from '../../../console/element.js';
import { grouped } from '../../../console/format.js';
import { ErrorNotice, ErrorPlace } from '../../../console/notice.js';
import { usePlace } from '../../../console/place.js';
import { useWork, WorkButton } from '../../../console/work.js';

/** @import { CreatedView } from '../../../console/answers.d.ts' */

const ASK_EVERY_MS = 1000;
const SHOWN = 50;

/** @type {Readonly<Record<string, string>>} */
const FATES = { deleted: 'deleted', gone: 'not there any more', kept: 'kept' };

/** @param {{ id: string }} properties of an import that created something */
export function ImportCreated({ id }) {
  const { isOperator } = usePlace();
  const work = useWork();
  const path = importPath(id, '/created');
  /** @type {import('../../../console/answer.js').Answer<CreatedView>} */
  const {
    data: made,
    error,
    set,
  } = useAnswer(path, { everyMs: (known) => (known?.progress ? ASK_EVERY_MS : undefined) });
  if (made === undefined) return error === undefined ? null : h(ErrorNotice, { error });
  const { things, total, deletable, isTakenBack, progress, reason } = made;
  const what = deletable === total ? 'what was created' : `${grouped(deletable)} of what was created`;
  const remove = async () => {
    const yes = await confirmed({
      question: `Delete ${what} for good?`,
      explanation:
        'Deleted users and groups, and their messages, cannot be brought back. Kept is what was there before the import, groups with members whom it does not name, and users whom others have put into groups; each is looked at again first.',
      yes: 'Delete for good',
      no: 'Keep everything',
    });
    if (yes) await work.start(async (signal) => set(await request(path, { method: 'DELETE', signal })));
  };
  return [
    h(
      'ul',
      { key: 'list', class: 'plain' },
      things
        .slice(0, SHOWN)
        .map(({ kind, region, name, outcome, undone, isUsed, why }) =>
          h(
            'li',
            { key: `${kind} ${region} ${name}` },
            `${kind} `,
            h('b', null, foreign(name)),
            ` (${region})`,
            outcome === 'reactivated' && ', made active again',
            undone !== null && [' ', h(Tag, { key: 'fate' }, FATES[undone] ?? undone)],
            undone === null && isUsed && [' ', h(Tag, { key: 'fate' }, 'would be kept')],
            why !== '' && [' ', foreign(why)],
          ),
        ),
    ),
    total > SHOWN &&
      h(
        'p',
        { key: 'more', class: 'note' },
        `And ${grouped(total - SHOWN)} more: the column _created of the report has all.`,
      ),
    h(
      'p',
      { key: 'state', class: 'note', role: 'status' },
      progress !== null
        ? `Deleting: ${grouped(progress.done)} of ${grouped(progress.of)} looked at.`
        : reason !== ''
          ? ['Deleting stopped: ', foreign(reason), '. What is left can be deleted again.']
          : deletable > 0 && !isTakenBack
            ? 'Undoing the import does not delete them. When it is undone, they can be deleted here.'
            : '',
    ),
    isOperator &&
      isTakenBack &&
      deletable > 0 &&
      progress === null &&
      h(
        'div',
        { key: 'buttons', class: 'buttons' },
        h(WorkButton, { busy: work.busy, kind: 'danger quiet', onClick: () => void remove() }, `Delete ${what}…`),
      ),
    h(ErrorPlace, { key: 'error', error: work.error }),
  ];
}
