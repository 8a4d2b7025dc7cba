import { setImmediate as turn } from 'node:timers/promises';
import { isQuestionRefused, type QuestionRefused } from '../../../jobs/ask-service.ts';
import { BARE_404, GROUP_MISSING, isOfService } from '../../chat/service/codes.ts';
import { readBanned } from '../../chat/whole-lists.ts';
import { isError } from '../../errors/rollcall-error.ts';
import type { Region } from '../../membership/membership.ts';
import { grouped } from '../../text/wording.ts';
import type { GroupPages } from '../ask/group-pages.ts';
import type { ImportOptions } from '../import-options.ts';
import type { ReasonCode } from '../reason-codes.ts';
import type { BannedUsers } from '../record/bans.ts';
import type { StoppedRegion } from '../record/batch-result.ts';
import type { ImportLedger } from '../record/import-ledger.ts';
import { inRegions, inTurns } from '../survey/side-by-side.ts';
import type { GroupReader } from './group-reader.ts';

export const BANS_UNKNOWN = 'BANS_UNKNOWN' satisfies ReasonCode;

interface Told {
  /** The region may be sent to. */
  ready(region: Region): void;
  /** It may not, because it is not known who is banned. */
  stopped(stopped: StoppedRegion): void;
}

/** The questions of an import to the service before it sends to a region or continues there: who is banned from its groups. */
export function createFirstSteps(pages: GroupReader['pages'], isStopping: () => boolean) {
  const underWay = new Map<string, { readonly aborted: AbortController; readonly asking: Set<Region> }>();
  return {
    /**
     * Begins to ask, unless that is running, and tells of each region when it is done there: regions do not wait for each other.
     * Rejects with errors that are not an answer of the service.
     */
    take: async (id: string, ledger: ImportLedger, { bans: choice }: ImportOptions, { ready, stopped }: Told) => {
      if (choice === undefined || underWay.has(id)) return;
      const aborted = new AbortController();
      const { signal } = aborted;
      const regions = ledger.regionsUsed();
      const asking = new Set(regions);
      underWay.set(id, { aborted, asking });
      const record = inOneTransaction((answers) => ledger.bans.record(answers, choice), signal);
      try {
        await inRegions(regions, signal, async (region, either) => {
          const unread = await askIn(region, ledger.bans, pages(region), record, either);
          either.throwIfAborted();
          if (unread !== undefined) return stopped({ region, ...unread });
          asking.delete(region);
          ready(region);
        });
        underWay.delete(id);
      } catch (error) {
        if (!signal.aborted && !isStopping()) throw error;
      }
    },
    /** Whether an import must not send to a region yet. */
    isAsking: (id: string, region: Region) => underWay.get(id)?.asking.has(region) ?? false,
    /** Nothing more is asked for an import: it is paused, dropped or closed. */
    interrupt: (id: string) => {
      underWay.get(id)?.aborted.abort(new Error('the import is paused'));
      underWay.delete(id);
    },
  };
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

/** The reason why nothing may be sent to a region. */
type Unread = Pick<StoppedRegion, 'code' | 'message'>;

/**
 * Reads the banned users of every group that has rows to send: one call for each group, and one more for every 100
 * banned (chat/whole-lists.ts). Rows that would lift a ban fail, or say so. Results are kept in the ledger, so that an
 * interrupted import reads only the remaining groups. If a list cannot be read whole, nothing is sent to its region.
 * @throws the signal's reason, and errors that are not an answer of the service
 */
async function askIn(
  region: Region,
  bans: ImportLedger['bans'],
  pages: GroupPages,
  record: (answer: BannedUsers) => Promise<void>,
  signal: AbortSignal,
): Promise<Unread | undefined> {
  /** Set when the region refuses every call: it is asked no more. */
  let refused: Unread | undefined;
  let nowhere: Promise<Unread | undefined> | undefined;
  /** The first group of which it is not known who is banned, and how many there are. */
  let unread: Unread | undefined;
  let groupsUnread = 0;
  bans.begin(region);
  const groups = function* () {
    for (const some of bans.groupsToAsk(region)) {
      yield some;
      // To find the groups of a large import takes long.
      if (refused !== undefined) return;
    }
  };
  await inTurns(signal, groups(), async ({ id: group, guid }, stop) => {
    if (refused !== undefined) return;
    try {
      await record({ group, uids: await readBanned(pages, guid, { signal: stop }) });
    } catch (error) {
      stop.throwIfAborted();
      if (!(isQuestionRefused(error) || isError(error, 'UNTRUSTED_LISTING'))) throw error;
      const { code, message } = error;
      // Nobody is banned from a group that is not there.
      if (code === GROUP_MISSING) return record({ group, uids: new Set() });
      if (isQuestionRefused(error) && error.facts.ofRegion) refused = unreadRegion(error);
      if (code === BARE_404) {
        nowhere ??= wrongAddress(pages, guid, stop);
        const wrong = await nowhere;
        stop.throwIfAborted();
        refused ??= wrong;
      }
      groupsUnread += 1;
      unread ??= { code: BANS_UNKNOWN, message: `of group ${JSON.stringify(guid)}: ${code}, ${message}` };
    }
  });
  if (refused !== undefined || unread === undefined || groupsUnread === 1) return refused ?? unread;
  return { ...unread, message: `of ${grouped(groupsUnread)} groups, the first one: ${unread.message}` };
}

/** If the service does not answer another question either, app id, region or host is wrong, as for an addition. */
async function wrongAddress(pages: GroupPages, guid: string, signal: AbortSignal): Promise<Unread | undefined> {
  try {
    await pages.getGroup(guid, { signal });
    return undefined;
  } catch (error) {
    if (!isQuestionRefused(error) || error.code !== BARE_404) return undefined;
    const { code, message } = error;
    return { code, message };
  }
}

/** A plan or key that refuses this question may let members be added all the same. */
function unreadRegion({ code, message }: QuestionRefused): Unread {
  const isOfList = isOfService(code) || code === 'HTTP_403';
  return isOfList ? { code: BANS_UNKNOWN, message: `${code}, ${message}` } : { code, message };
}
