import { setImmediate as turn } from 'node:timers/promises';
import pLimit from 'p-limit';
import { ReadingRefused } from '../../../jobs/ask-service.ts';
import { UntrustedListing } from '../../chat/errors.ts';
import { type BannedPages, readBanned } from '../../chat/member-list.ts';
import type { Region } from '../../membership/membership.ts';
import type { BanChoice } from '../ban-options.ts';
import type { BannedUsers } from '../record/bans.ts';
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
  const record = inOneTransaction((answers) => ledger.bans.record(answers, choice), either);
  const ask = async (region: Region): Promise<void> => {
    try {
      await askIn(region, ledger.bans, pages(region), record, either);
      either.throwIfAborted();
      answered(region);
    } catch (error) {
      failed.abort(error);
    }
  };
  await Promise.all(ledger.regionsUsed().map(ask));
  either.throwIfAborted();
}

/** Answers that come in one turn of the event loop are written together: a transaction costs more than what it writes. */
function inOneTransaction(
  write: (answers: readonly BannedUsers[]) => void,
  signal: AbortSignal,
): (answer: BannedUsers) => Promise<void> {
  let answers: BannedUsers[] = [];
  let written: Promise<void> | undefined;
  return (answer) => {
    answers.push(answer);
    written ??= turn().then(() => {
      const gathered = answers;
      answers = [];
      written = undefined;
      // The ledger may be closed by now.
      signal.throwIfAborted();
      write(gathered);
    });
    return written;
  };
}

async function askIn(
  region: Region,
  bans: ImportLedger['bans'],
  pages: BannedPages,
  record: (answer: BannedUsers) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  // A region that refuses every call would refuse the rows too; it is asked again when the import is resumed.
  let isRefused = false;
  const atOnce = pLimit(GROUPS_AT_ONCE);
  bans.begin(region);
  for (const groups of bans.groupsToAsk(region)) {
    await atOnce.map(groups, async ({ id: group, guid }) => {
      if (signal.aborted || isRefused) return;
      let uids: ReadonlySet<string> | undefined;
      try {
        uids = await readBanned(pages, guid, { signal });
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ReadingRefused && error.ofRegion) {
          isRefused = true;
          return;
        }
        if (!(error instanceof ReadingRefused || error instanceof UntrustedListing)) throw error;
      }
      await record({ group, uids });
    });
    if (isRefused) return;
    signal.throwIfAborted();
  }
}
