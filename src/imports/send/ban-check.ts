import { setImmediate as turn } from 'node:timers/promises';
import { isQuestionRefused, type QuestionRefused } from '../../../jobs/ask-service.ts';
import { BARE_404, GROUP_MISSING, isOfService } from '../../chat/service/codes.ts';
import { readBanned } from '../../chat/whole-lists.ts';
import { isError } from '../../errors/rollcall-error.ts';
import type { Region } from '../../membership/membership.ts';
import type { BanChoice } from '../../options/sending-options.ts';
import { grouped } from '../../text/wording.ts';
import type { GroupPages } from '../ask/group-pages.ts';
import type { ImportOptions } from '../import-options.ts';
import type { ReasonCode } from '../reason-codes.ts';
import type { BannedUsers } from '../record/bans.ts';
import type { StoppedRegion } from '../record/batch-result.ts';
import type { ImportLedger } from '../record/import-ledger.ts';
import { inRegions, inTurns } from '../survey/side-by-side.ts';
import type { GroupReader } from './group-reader.ts';

interface BanQuestion {
  readonly ledger: Pick<ImportLedger, 'bans' | 'regionsUsed'>;
  readonly pages: GroupReader['pages'];
  readonly choice: BanChoice;
  readonly signal: AbortSignal;
  /** Called when a region needs no more questions. */
  readonly answered: (region: Region) => void;
  /** Called when it is not known who is banned: nothing may be sent to the region. */
  readonly unknown: (stopped: StoppedRegion) => void;
}

export const BANS_UNKNOWN = 'BANS_UNKNOWN' satisfies ReasonCode;

/**
 * Reads the banned users of every group that has rows to send: one call for each group, and one more for every 100
 * banned (chat/whole-lists.ts). Rows that would lift a ban fail, or say so. Results are kept in the ledger, so that an
 * interrupted import reads only the remaining groups. If a list cannot be read whole, nothing is sent to its region.
 * @throws the signal's reason, and errors that are not an answer of the service
 */
async function askWhoIsBanned({ ledger, pages, choice, signal, answered, unknown }: BanQuestion): Promise<void> {
  const record = inOneTransaction((answers) => ledger.bans.record(answers, choice), signal);
  await inRegions(ledger.regionsUsed(), signal, async (region, either) => {
    const unread = await askIn(region, ledger.bans, pages(region), record, either);
    either.throwIfAborted();
    if (unread === undefined) answered(region);
    else unknown({ region, ...unread });
  });
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
  pages: Pick<GroupPages, 'listPage' | 'getGroup'>,
  record: (answer: BannedUsers) => Promise<void>,
  signal: AbortSignal,
): Promise<Unread | undefined> {
  let refused: Unread | undefined;
  let groupsUnread = 0;
  let nowhere: Promise<Unread | undefined> | undefined;
  // A region that refuses every call is asked no more; of one that cannot say it of some groups, it is known of how many.
  const isOver = () => refused !== undefined && groupsUnread === 0;
  bans.begin(region);
  const groups = function* () {
    for (const some of bans.groupsToAsk(region)) {
      if (isOver()) return;
      yield some;
    }
  };
  await inTurns(signal, groups(), async ({ id: group, guid }, stop) => {
    if (isOver()) return;
    try {
      await record({ group, uids: await readBanned(pages, guid, { signal: stop }) });
    } catch (error) {
      stop.throwIfAborted();
      if (!(isQuestionRefused(error) || isError(error, 'UNTRUSTED_LISTING'))) throw error;
      // Nobody is banned from a group that is not there.
      if (error.code === GROUP_MISSING) return record({ group, uids: new Set() });
      if (isQuestionRefused(error) && error.facts.ofRegion) {
        refused = unreadRegion(error);
        return;
      }
      if (error.code === BARE_404) {
        nowhere ??= wrongAddress(pages, guid, stop);
        const wrong = await nowhere;
        stop.throwIfAborted();
        if (wrong !== undefined) {
          refused = wrong;
          return;
        }
      }
      groupsUnread += 1;
      refused ??= {
        code: BANS_UNKNOWN,
        message: `of group ${JSON.stringify(guid)}: ${error.code}, ${error.message}`,
      };
    }
  });
  if (refused === undefined || groupsUnread < 2) return refused;
  return { ...refused, message: `of ${grouped(groupsUnread)} groups, the first one: ${refused.message}` };
}

type Unread = Pick<StoppedRegion, 'code' | 'message'>;

/** If the service does not answer another question either, app id, region or host is wrong, as for an addition. */
async function wrongAddress(
  pages: Pick<GroupPages, 'getGroup'>,
  guid: string,
  signal: AbortSignal,
): Promise<Unread | undefined> {
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
export function createFirstSteps(pages: GroupReader['pages'], isStopping: () => boolean) {
  const underWay = new Map<string, { readonly aborted: AbortController; readonly regions: Set<Region> }>();

  return {
    /**
     * Begins to ask, unless that is running, and tells of each region when it is done there. Rejects with errors that are
     * not an answer of the service.
     */
    take: async (id: string, ledger: ImportLedger, { bans }: ImportOptions, { ready, stopped }: Told) => {
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
    /** Whether an import must not send to a region yet. */
    isAsking: (id: string, region: Region) => underWay.get(id)?.regions.has(region) ?? false,
    /** Nothing more is asked for an import: it is paused, dropped or closed. */
    interrupt: (id: string) => {
      underWay.get(id)?.aborted.abort(new Error('the import is paused'));
      underWay.delete(id);
    },
  };
}
