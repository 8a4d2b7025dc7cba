import type { ImportView } from '../../../api/imports.ts';
import type { Imports } from '../../../cli/client/import-place.ts';
import type { Io } from '../../../cli/screen/io.ts';
import type { Config } from '../../../platform/config.ts';
import { checkedOf } from './checked.ts';

/** Returns the check of an import that was not sent, for `status`; undefined if there is none. */
export async function checkStatus(config: Config, imports: Imports, { id, sandbox }: ImportView) {
  const checked = await checkedOf(config, imports, id);
  if (checked === undefined) return undefined;
  const { state, reason, calls, summary, underWay } = checked;
  const { concludeCheck } = await import('./check-outcome.ts');
  return {
    /** For programs, as the API shows it. */
    document: { state, underWay, reason, calls, summary },
    isDone: summary !== null,
    isUnderWay: underWay,
    /** Prints the result and the next steps. */
    conclude: (io: Io) => void concludeCheck({ io, imports, id, json: false, sandbox, checked }),
  };
}
