import type { ImportOptions } from '../import-options.ts';
import type { ImportLedger } from '../record/import-ledger.ts';
import { askWhoIsBanned } from '../send/ban-check.ts';
import type { GroupReader } from '../send/group-reader.ts';

/** What is asked of the service before an import sends or goes on. */
export interface FirstSteps {
  /** Undefined when nothing is to be asked; false when it was interrupted. One that is under way is waited for. */
  take(id: string, ledger: ImportLedger, options: ImportOptions): Promise<boolean> | undefined;
  /** Nothing more is asked for an import: it is held, dropped or closed. */
  interrupt(id: string): void;
}

export function createFirstSteps(pages: GroupReader['pages'], isStopping: () => boolean): FirstSteps {
  const underWay = new Map<string, { readonly aborted: AbortController; readonly done: Promise<boolean> }>();

  const interrupt = (id: string): void => {
    underWay.get(id)?.aborted.abort(new Error('the import is held'));
    underWay.delete(id);
  };

  return {
    take: (id, ledger, { bans }) => {
      if (bans === undefined) return undefined;
      const earlier = underWay.get(id);
      if (earlier !== undefined) return earlier.done;
      const aborted = new AbortController();
      const { signal } = aborted;
      const done = askWhoIsBanned(ledger, pages, bans, signal).then(
        () => !signal.aborted,
        (error: unknown) => {
          if (signal.aborted || isStopping()) return false;
          throw error;
        },
      );
      const entry = { aborted, done };
      underWay.set(id, entry);
      const forget = () => {
        if (underWay.get(id) === entry) underWay.delete(id);
      };
      done.then(forget, forget);
      return done;
    },
    interrupt,
  };
}
