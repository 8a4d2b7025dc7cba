import pLimit from 'p-limit';
import { ReadingRefused } from '../../../jobs/read-group.ts';
import { UntrustedListing } from '../../chat/errors.ts';
import { readBanned } from '../../chat/member-list.ts';
import type { Region } from '../../membership/membership.ts';
import type { BanChoice } from '../ban-options.ts';
import type { ImportLedger } from '../record/import-ledger.ts';
import type { GroupReader } from './group-reader.ts';

/** Groups that are asked about at the same time. */
const GROUPS_AT_ONCE = 40;

export interface BanQuestion {
  readonly ledger: Pick<ImportLedger, 'bans' | 'regionsUsed'>;
  readonly pages: GroupReader['pages'];
  readonly choice: BanChoice;
  readonly signal: AbortSignal;
  /** Nothing more is to be asked in a region. */
  readonly answered: (region: Region) => void;
}

/**
 * Asks for the banned users of every group that rows wait to be sent to: a call for each, and one more for every 100 banned
 * (chat/member-list.ts). Rows that would lift a ban fail, or say so. What is known is in the ledger, so that an import that
 * is interrupted asks for the other groups only. A group of which the service does not say it is sent to as it is.
 * @throws the signal's reason, and what is no answer of the service
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
  // A region that refuses every call refuses what is sent there as well, and is asked again when it is resumed.
  let isRefused = false;
  const atOnce = pLimit(GROUPS_AT_ONCE);
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
