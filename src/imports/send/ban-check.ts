import pLimit from 'p-limit';
import { ReadingRefused } from '../../../jobs/ask-service.ts';
import { UntrustedListing } from '../../chat/errors.ts';
import { readBanned } from '../../chat/member-list.ts';
import type { Region } from '../../membership/membership.ts';
import type { BanChoice } from '../ban-options.ts';
import type { ImportLedger } from '../record/import-ledger.ts';
import type { GroupReader } from './group-reader.ts';

/** Groups that are read at the same time. */
const GROUPS_AT_ONCE = 40;

export interface BanQuestion {
  readonly ledger: Pick<ImportLedger, 'bans' | 'regionsUsed'>;
  readonly pages: GroupReader['pages'];
  readonly choice: BanChoice;
  readonly signal: AbortSignal;
  /** Called when a region needs no more questions. */
  readonly answered: (region: Region) => void;
}

/**
 * Reads the banned users of every group that has rows to send: one call for each group, and one more for every 100 banned
 * (chat/member-list.ts). Rows that would lift a ban fail, or say so. Results are kept in the ledger, so that an interrupted
 * import reads only the remaining groups. If the service does not list a group's banned users, its rows are sent anyway.
 * @throws the signal's reason, and errors that are not an answer of the service
 */
export async function askWhoIsBanned({ ledger, pages, choice, signal, answered }: BanQuestion): Promise<void> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const ask = async (region: Region): Promise<void> => {
    try {
      await askIn(region, ledger, pages, choice, either);
      either.throwIfAborted();
      answered(region);
    } catch (error) {
      failed.abort(error);
    }
  };
  await Promise.all(ledger.regionsUsed().map(ask));
  either.throwIfAborted();
}

async function askIn(
  region: Region,
  { bans }: Pick<ImportLedger, 'bans'>,
  pages: GroupReader['pages'],
  choice: BanChoice,
  signal: AbortSignal,
): Promise<void> {
  // A region that refuses every call would refuse the rows too; it is asked again when the import is resumed.
  let isRefused = false;
  const atOnce = pLimit(GROUPS_AT_ONCE);
  bans.begin(region);
  for (const groups of bans.groupsToAsk(region)) {
    await atOnce.map(groups, async ({ id, guid }) => {
      if (signal.aborted || isRefused) return;
      try {
        const banned = await readBanned(pages(region), guid, { signal });
        signal.throwIfAborted();
        bans.known(id, banned, choice);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ReadingRefused && error.ofRegion) isRefused = true;
        else if (error instanceof ReadingRefused || error instanceof UntrustedListing) bans.unknown(id);
        else throw error;
      }
    });
    if (isRefused) return;
    signal.throwIfAborted();
  }
}
