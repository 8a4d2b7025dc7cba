import type { Region } from '../../membership/membership.ts';
import type { ImportOptions } from '../import-options.ts';
import type { StoppedRegion } from '../record/batch-result.ts';
import type { ImportLedger } from '../record/import-ledger.ts';
import { askWhoIsBanned } from './ban-check.ts';
import type { GroupReader } from './group-reader.ts';

interface Told {
  /** The region may be sent to. */
  ready(region: Region): void;
  /** It may not: what has to be known is not. */
  stopped(stopped: StoppedRegion): void;
}

/**
 * The questions of an import to the service before it sends to a region or continues there. Regions do not wait for
 * each other.
 */
export interface FirstSteps {
  /**
   * Begins to ask, unless that is running, and tells of each region when it is done there. Rejects with errors that are
   * not an answer of the service.
   */
  take(id: string, ledger: ImportLedger, options: ImportOptions, told: Told): Promise<void>;
  /** Whether an import must not send to a region yet. */
  isAsking(id: string, region: Region): boolean;
  /** Nothing more is asked for an import: it is held, dropped or closed. */
  interrupt(id: string): void;
}

export function createFirstSteps(pages: GroupReader['pages'], isStopping: () => boolean): FirstSteps {
  const underWay = new Map<string, { readonly aborted: AbortController; readonly regions: Set<Region> }>();

  const interrupt = (id: string): void => {
    underWay.get(id)?.aborted.abort(new Error('the import is held'));
    underWay.delete(id);
  };

  return {
    take: async (id, ledger, { bans }, { ready, stopped }) => {
      if (bans === undefined || underWay.has(id)) return;
      const aborted = new AbortController();
      const { signal } = aborted;
      const regions = new Set(ledger.regionsUsed());
      underWay.set(id, { aborted, regions });
      const answered = (region: Region): void => {
        regions.delete(region);
        ready(region);
      };
      try {
        await askWhoIsBanned({ ledger, pages, choice: bans, signal, answered, unknown: stopped });
        underWay.delete(id);
      } catch (error) {
        if (!signal.aborted && !isStopping()) throw error;
      }
    },
    isAsking: (id, region) => underWay.get(id)?.regions.has(region) ?? false,
    interrupt,
  };
}
