/** The undo of an import on pages: the question before it, what it reverses, and what it left in place. */

import type { SyncEntry } from '../../../console/answers.ts';
import { ask } from '../../../console/kit/actions.tsx';
import { foreign, importHref } from '../../../console/kit/elements.tsx';
import { call } from '../../../console/requests.ts';

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
    isSafeFirst: true,
    fields: {
      includeUncertain: { label: 'Also take back what calls without an answer may have done', ticked: 'true' },
    },
    initial: { includeUncertain: uncertain ? 'true' : '' },
  });
  if (values === undefined) return undefined;
  const query = values['includeUncertain'] === 'true' ? { includeUncertain: true } : {};
  return (await call('POST /v1/imports/:id/undo', { id, query }, signal)).id;
}

/** Plans the undo once more, with what it left in place because it is uncertain. */
export async function undoneAgain({ undoOf }: SyncEntry, signal: AbortSignal) {
  return undoOf === null ? undefined : plannedUndo(undoOf, true, signal);
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
