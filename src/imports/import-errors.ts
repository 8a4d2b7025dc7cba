import { RollcallError } from '../errors/rollcall-error.ts';
import { actionsOf, type ImportState } from '../membership/import-state.ts';

/**
 * The import's state does not allow the request.
 * @param refused completes "import … is running and …"
 * @param possible default: without a retry
 */
export function wrongState(
  { id, state }: { readonly id: string; readonly state: ImportState },
  refused: string,
  possible = actionsOf(state, false),
) {
  // Deleting it is no way to what was asked for.
  const ways = possible.filter((action) => action !== 'delete');
  const instead = ways.length === 0 ? undefined : `possible now: ${ways.join(', ')}`;
  const command = possible.length === 0 ? 'wait until it has finished' : instead;
  return new RollcallError('WRONG_STATE', {
    what: `import ${id} is ${state} and ${refused}`,
    command,
    id,
    state,
    possible,
  });
}

/** @param why completes "import … is completed and …" */
export function nothingToSend(
  { id, state }: { readonly id: string; readonly state: ImportState },
  why: string,
  possible = actionsOf(state, false),
) {
  return new RollcallError('NOTHING_TO_SEND', { id, state, why, possible });
}
