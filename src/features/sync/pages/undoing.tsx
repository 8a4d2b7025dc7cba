/** The question before an undo is planned. */
import { callsOf } from '../../../console/api.ts';
import { ask } from '../../../console/dialog.tsx';
import type { syncOperations } from '../operations.ts';

const call = callsOf<(typeof syncOperations)[keyof typeof syncOperations]>();

/**
 * Asks what an undo is to take back; what has it planned and gives the id of its sync, or undefined where none is wanted.
 * @param uncertain whether what is uncertain is chosen beforehand
 */
export async function plannedUndo(uncertain: boolean) {
  const chosen = await undoChoice(uncertain);
  return chosen && ((importId: string, signal: AbortSignal) => undone(importId, chosen, signal));
}

/** Asks what the undo is to take back, in the form for the server; returns undefined when none is to be planned. */
async function undoChoice(uncertain: boolean): Promise<Readonly<Record<string, string>> | undefined> {
  const form = await ask({
    question: 'Undo this import?',
    explanation: 'A plan is made first: nothing is sent before you apply it.',
    content: (close) => (
      <>
        <div class="check">
          <input type="checkbox" id="include-uncertain" name="includeUncertain" defaultChecked={uncertain} />
          <label for="include-uncertain">Also take back what calls without an answer may have done</label>
        </div>
        <p class="note">
          It removes members who were there when a call was repeated, and those whose row is not confirmed. Some of them
          may have been there before the import.
        </p>
        <div class="buttons">
          <button type="button" onClick={close} autoFocus>
            Cancel
          </button>
          <button type="submit" value="yes" class="main">
            Plan the undo
          </button>
        </div>
      </>
    ),
  });
  return form && (form.has('includeUncertain') ? { includeUncertain: 'true' } : {});
}

/** Has an undo planned; gives the id of its sync. */
async function undone(importId: string, chosen: Readonly<Record<string, string>>, signal: AbortSignal) {
  const { id } = await call('POST /v1/imports/:id/undo', { id: importId, query: chosen }, signal);
  return id;
}
