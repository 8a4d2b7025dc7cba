import { z } from 'zod';
import { isQuestionRefused, stopSentence } from '../../jobs/ask-service.ts';
import { type FoundMember, type HistoryEntry, type MembershipNow, memberOperations } from '../api/members.ts';
import { GROUP_MISSING, USER_MISSING } from '../chat/service/codes.ts';
import { BANNED_PER_PAGE, MAX_PER_PAGE } from '../chat/service/limits.ts';
import { isError, RollcallError } from '../errors/rollcall-error.ts';
import type { GroupPages } from '../imports/ask/group-pages.ts';
import { type ImportRecord, uncheckedOptions } from '../imports/catalog.ts';
import { isLedgerLost } from '../imports/lost-ledger.ts';
import { ORDER_OF_INPUT } from '../imports/report/row-search.ts';
import { targetOf } from '../imports/report/summarize.ts';
import { isSameTarget } from '../imports/target.ts';
import { foldId, type Region } from '../membership/membership.ts';
import type { Outcome } from '../membership/outcome.ts';
import { cursorContent, cursorText } from '../platform/cursors.ts';
import { inShort, isoTime } from '../text/wording.ts';
import type { Api, ServerContext } from './context.ts';
import type { DataReader } from './data-reader.ts';
import { type Caller, callerOf } from './http-answers.ts';
import { serveAll } from './serve.ts';

/** Most imports that one request looks into, so that an answer with few hits comes too. */
const MAX_IMPORTS = 100;
/** Rows that one search looks at: a request of some seconds. The import in which they end is searched to its end. */
const MAX_ROWS = 10_000_000;

/** Rows of a user that are compared with where the user is. */
const MAX_COMPARED = 1_000;
/** Maximum wait for a service that does not answer, and for everything that a person waits for, in ms. */
const PATIENCE_MS = 10_000;
const MAX_MS = 30_000;

export function memberRoutes(app: Api, { reading, coordinator, settings }: ServerContext) {
  const having = Object.keys(settings.apps) as Region[];
  const isOurs = (record: ImportRecord) => {
    const meant = { sandbox: uncheckedOptions(record)['sandbox'] === true, ...targetOf(record) };
    return isSameTarget(meant, coordinator.sendsTo);
  };
  serveAll(app, memberOperations, {
    search: (query, { reply }) => search(reading, query, callerOf(reply)),
    history: async (query, { reply }) => ({ uid: query.uid, ...(await history(reading, query, callerOf(reply))) }),
    ask: async ({ uid, region }, { reply, audited }) => {
      if (region !== undefined && !having.includes(region)) {
        throw new RollcallError('REGION_WITHOUT_APP', { regions: [region], field: 'region' });
      }
      const caller = callerOf(reply);
      const compared = { uid, limit: MAX_COMPARED, maxImports: MAX_IMPORTS * 5, isWanted: isOurs };
      const { entries, unread, nextCursor } = await history(reading, compared, caller);
      const rows = lastRows(entries);
      const used = having.filter((one) => rows.has(one));
      const regions = region !== undefined ? [region] : used.length > 0 ? used : having;
      audited(inShort({ regions: regions.join(',') }));
      const signal = AbortSignal.any([caller.signal, AbortSignal.timeout(MAX_MS)]);
      const found = await Promise.all(
        regions.map((one) =>
          whereNow(one, rows.get(one) ?? [], { uid, pages: coordinator.pages(one, PATIENCE_MS), signal }),
        ),
      );
      return {
        uid,
        askedAt: new Date().toISOString(),
        regions: found.map((one) => one.region),
        groups: found
          .flatMap(({ groups }) => groups)
          .toSorted((one, other) => Number(other.differs) - Number(one.differs) || (one.guid < other.guid ? -1 : 1)),
        historyIsWhole: nextCursor === null && unread.length === 0,
      };
    },
  });
}

/** The import to look into next, as a cursor of the list of imports (null: the newest), and the row after which to continue in it. */
const place = z.tuple([z.string().nullable(), z.int().nonnegative()]);

/**
 * Looks into imports with rows, the newest first, from a place on.
 * @param look gives the row behind which there is more to look at in this import, once enough was found
 * @param isEnough asked before each import
 * @returns the place to continue from, and the imports of which no rows can be read
 */
async function lookInto(
  reading: DataReader,
  cursor: string | undefined,
  look: (record: ImportRecord, after: number) => Promise<number | undefined>,
  isEnough: () => boolean,
  most = MAX_IMPORTS,
): Promise<{ unread: string[]; nextCursor: string | null }> {
  const unread: string[] = [];
  let [before, after] = cursorContent(place, cursor) ?? [null, 0];
  for (let looked = 0; looked < most && !isEnough(); looked += 1) {
    const { imports, next = null } = reading.page({ limit: 1, ...(before !== null && { before }) });
    const [record] = imports;
    if (record === undefined) return { unread, nextCursor: null };
    const rest = await look(record, after).catch((error: unknown) => {
      if (error instanceof RollcallError && isLedgerLost(error.code)) unread.push(record.id);
      else if (!isError(error, 'NO_ROWS_YET')) throw error;
    });
    if (rest !== undefined) after = rest;
    else if (next === null) return { unread, nextCursor: null };
    else [before, after] = [next, 0];
  }
  return { unread, nextCursor: cursorText([before, after]) };
}

interface Page {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

interface HistoryPage extends Page {
  readonly uid: string;
  readonly maxImports?: number;
  /** Whether an import is looked into. Default: each is. */
  readonly isWanted?: (record: ImportRecord) => boolean;
}

async function history(
  reading: DataReader,
  { uid, limit, cursor, maxImports, isWanted = () => true }: HistoryPage,
  caller: Caller,
) {
  const entries: HistoryEntry[] = [];
  const look = async (record: ImportRecord, after: number) => {
    if (!isWanted(record)) return undefined;
    const { id: importId, file, state, createdAt } = record;
    const page = await reading
      .rowsOf(importId, caller)
      .rowsPage({ uid }, limit - entries.length, ORDER_OF_INPUT, { row: after, key: after });
    for (const { line, region, guid, scope, status, code, message, finishedAt } of page.rows) {
      const at = finishedAt ?? isoTime(createdAt);
      entries.push({ importId, file, state, line, at, region, guid, scope, status, code, message });
    }
    return page.more ? page.places.at(-1)?.row : undefined;
  };
  const ends = await lookInto(reading, cursor, look, () => entries.length >= limit, maxImports);
  return { entries, ...ends };
}

async function search(reading: DataReader, { text, limit, cursor }: Page & { readonly text: string }, caller: Caller) {
  const found = new Map<string, FoundMember>();
  let looked = 0;
  const look = async (record: ImportRecord, after: number) => {
    const page = await reading.rowsOf(record.id, caller).uidsWith(text, limit - found.size, after);
    looked += page.looked;
    const newest = { importId: record.id, file: record.file, createdAt: isoTime(record.createdAt) };
    for (const uid of page.uids) found.set(foldId(uid), found.get(foldId(uid)) ?? { uid, newest });
    return page.next;
  };
  const ends = await lookInto(reading, cursor, look, () => found.size >= limit || looked > MAX_ROWS);
  return { members: [...found.values()], ...ends };
}

/** Groups of one region that are asked about one by one, each with two calls at most. */
const MAX_ASKED = 20;

/** In what place a row left its user, by its outcome; null: in one that cannot be told. Other outcomes changed nothing. */
const LEFT: Partial<Record<Outcome, 'member' | 'banned' | 'not-member' | null>> = {
  added: 'member',
  already_member: 'member',
  changed: 'member',
  banned: 'banned',
  removed: 'not-member',
  unbanned: null,
};

/** The last row that did something in each group, by region. @param entries newest import first, each in its order */
function lastRows(entries: readonly HistoryEntry[]) {
  const last = new Map<string, HistoryEntry>();
  for (const entry of entries) {
    if (LEFT[entry.status] === undefined) continue;
    const group = `${entry.region} ${foldId(entry.guid)}`;
    const before = last.get(group);
    const isLater = before === undefined || (entry.at ?? '') > (before.at ?? '');
    if (isLater || (entry.at === before.at && entry.importId === before.importId)) last.set(group, entry);
  }
  return Map.groupBy(last.values(), ({ region }) => region);
}

interface Asking {
  readonly uid: string;
  readonly pages: Pick<GroupPages, 'listJoined' | 'getMembership' | 'listPage'>;
  readonly signal: AbortSignal;
}

/** The place of a user in a group, and the scope of a member. */
type PlaceNow = readonly [now: MembershipNow['now'], scope?: string | null];

/**
 * Asks one region, and compares with what imports left.
 * @param rows the last one of each group @throws the signal's reason, unless its time is over
 */
export async function whereNow(region: Region, rows: readonly HistoryEntry[], { uid, pages, signal }: Asking) {
  const foundAt = (history: HistoryEntry, [now, scope = null]: PlaceNow): MembershipNow => {
    return { region, guid: history.guid, now, scope, differs: isDifferent(history, now, scope), history };
  };
  try {
    const all = await pages.listJoined(uid, { signal });
    // Others may be groups of anybody, where the service ignores the filter (docs/chat-service.md, 70).
    const joined = all.filter(({ hasJoined }) => hasJoined === true);
    const isWhole = joined.length === all.length && all.length < MAX_PER_PAGE;
    const listed = new Map(joined.map(({ guid, scope }) => [foldId(guid), scope]));
    let asked = 0;
    const placeIn = async ({ guid, status }: HistoryEntry): Promise<PlaceNow> => {
      const left = LEFT[status];
      const scope = listed.get(foldId(guid));
      const isListed = scope !== undefined;
      const unasked: PlaceNow = isListed
        ? ['member', scope]
        : [isWhole && left !== 'banned' ? 'not-member' : 'unknown'];
      const isSettled = left !== 'banned' && (isListed || (isWhole && left !== 'member'));
      if (isSettled || ++asked > MAX_ASKED) return unasked;
      try {
        if (!isListed && !isWhole) {
          const membership = await pages.getMembership(guid, uid, { signal });
          if (membership.scope !== null) return ['member', membership.scope];
          if (!membership.isKnown) return unasked;
        }
        const { entries } = await pages.listPage('banned', guid, 1, { signal });
        if (entries.some((banned) => foldId(banned.uid) === foldId(uid))) return ['banned'];
        if (isListed) return unasked;
        return [left === 'banned' && entries.length >= BANNED_PER_PAGE ? 'unknown' : 'not-member'];
      } catch (error) {
        if (!isQuestionRefused(error) || error.facts.ofRegion) throw error;
        return error.code === GROUP_MISSING ? ['no-group'] : unasked;
      }
    };
    const compared = await Promise.all(rows.map(async (history) => foundAt(history, await placeIn(history))));
    const known = new Set(rows.map(({ guid }) => foldId(guid)));
    const others = joined
      .filter(({ guid }) => !known.has(foldId(guid)))
      .map(({ guid, scope }): MembershipNow => ({ region, guid, now: 'member', scope, differs: false, history: null }));
    return { region: { region, problem: null, isWhole }, groups: [...compared, ...others] };
  } catch (error) {
    const groups = rows.map((history) => foundAt(history, ['unknown']));
    return { region: { region, problem: problemIn(error), isWhole: false }, groups };
  }
}

function isDifferent({ status, scope }: HistoryEntry, now: MembershipNow['now'], scopeNow: string | null) {
  const left = LEFT[status] ?? null;
  if (left === null || now === 'unknown') return false;
  if (left !== (now === 'no-group' ? 'not-member' : now)) return true;
  // An earlier member may have had another scope than the row asked for.
  return status !== 'already_member' && scopeNow !== null && scopeNow !== scope;
}

/** @throws the error, if it says nothing about the region */
function problemIn(error: unknown) {
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return 'no answer came in time; the region may be waiting for a worker, for its rate limit or for the service';
  }
  if (!isQuestionRefused(error)) throw error;
  if (error.facts.ofRegion) return stopSentence(error, 'asked');
  if (error.code === USER_MISSING) return 'the service knows no such user, or the user is deactivated';
  return `${error.code}: ${error.message}`;
}
