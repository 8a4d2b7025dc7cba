import { z } from 'zod';
import { isQuestionRefused, stopSentence } from '../../jobs/ask-service.ts';
import {
  type FoundMember,
  type HistoryEntry,
  type MemberNow,
  type MembershipNow,
  memberOperations,
} from '../api/members.ts';
import { GROUP_MISSING, USER_MISSING } from '../chat/service/codes.ts';
import { BANNED_PER_PAGE, MAX_PER_PAGE } from '../chat/service/limits.ts';
import { isError, RollcallError } from '../errors/rollcall-error.ts';
import type { GroupPages } from '../imports/ask/group-pages.ts';
import type { ImportRecord } from '../imports/catalog.ts';
import { readOptions } from '../imports/import-options.ts';
import { isLedgerLost } from '../imports/lost-ledger.ts';
import { ORDER_OF_INPUT } from '../imports/report/row-search.ts';
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

/** Users by a part of their UID, what every import did to one, and where this one is now. */
export function memberRoutes(app: Api, { reading, coordinator, settings }: ServerContext) {
  serveAll(app, memberOperations, {
    search: async ({ text, limit, cursor }, { reply }) => {
      const { next, ...found } = await search(reading, { text, limit }, memberPlace(cursor), callerOf(reply));
      return { ...found, nextCursor: cursorOf(next) };
    },
    history: async ({ uid, limit, cursor }, { reply }) => {
      const { next, ...found } = await history(reading, uid, limit, memberPlace(cursor), callerOf(reply));
      return { uid, ...found, nextCursor: cursorOf(next) };
    },
    ask: async ({ uid, region }, { reply, audited }) => {
      const caller = callerOf(reply);
      const having = Object.keys(settings.apps) as Region[];
      if (region !== undefined && !having.includes(region)) {
        throw new RollcallError('REGION_WITHOUT_APP', { regions: [region], field: 'region' });
      }
      const { entries, unread, next } = await history(
        reading,
        uid,
        MAX_COMPARED,
        memberPlace(undefined),
        caller,
        MAX_IMPORTS * 5,
      );
      const isOfService = (id: string) => {
        const record = reading.find(id);
        return record !== undefined && isSameTarget(readOptions(record), coordinator.sendsTo);
      };
      const ofService = new Set([...new Set(entries.map(({ importId }) => importId))].filter(isOfService));
      const rows = lastRows(entries.filter(({ importId }) => ofService.has(importId)));
      const used = having.filter((one) => rows.has(one));
      const regions = region !== undefined ? [region] : used.length > 0 ? used : having;
      audited(inShort({ regions: regions.join(',') }));
      const signal = AbortSignal.any([caller.signal, AbortSignal.timeout(MAX_MS)]);
      const found = await Promise.all(
        regions.map((one) =>
          whereNow(one, rows.get(one) ?? new Map(), { uid, pages: coordinator.pages(one, PATIENCE_MS), signal }),
        ),
      );
      return {
        uid,
        askedAt: new Date().toISOString(),
        regions: found.map((one) => one.region),
        groups: found
          .flatMap(({ groups }) => groups)
          .toSorted((one, other) => Number(other.differs) - Number(one.differs) || (one.guid < other.guid ? -1 : 1)),
        historyIsWhole: next === undefined && unread.length === 0,
      };
    },
  });
}

/** The import to look into next, as a cursor of the list of imports, and the row after which to continue in it. */
interface Place {
  readonly before: string | undefined;
  readonly after: number;
}

const placeInCursor = z.tuple([z.string().nullable(), z.int().nonnegative()]);

function memberPlace(cursor: string | undefined): Place {
  const [before, after] = cursorContent(placeInCursor, cursor) ?? [null, 0];
  return { before: before ?? undefined, after };
}

function cursorOf(place: Place | undefined) {
  return place === undefined ? null : cursorText([place.before ?? null, place.after]);
}

/**
 * Looks into imports with rows, the newest first, from a place on.
 * @param look gives the row behind which there is more to look at in this import, once enough was found
 * @param isEnough asked before each import
 * @returns the place to continue from, undefined when all were looked at; and the imports of which no rows can be read
 */
async function lookInto(
  reading: DataReader,
  start: Place,
  look: (record: ImportRecord, after: number) => Promise<number | undefined>,
  isEnough: () => boolean,
  most = MAX_IMPORTS,
) {
  const unread: string[] = [];
  const lookIn = async (record: ImportRecord, after: number) => {
    try {
      return await look(record, after);
    } catch (error) {
      if (isError(error, 'NO_ROWS_YET')) return undefined;
      if (!(error instanceof RollcallError) || !isLedgerLost(error.code)) throw error;
      unread.push(record.id);
      return undefined;
    }
  };
  let place = start;
  for (let looked = 0; looked < most && !isEnough(); looked += 1) {
    const { imports, next } = reading.page({ limit: 1, ...(place.before !== undefined && { before: place.before }) });
    const [record] = imports;
    if (record === undefined) return { next: undefined, unread };
    const rest = await lookIn(record, place.after);
    if (rest !== undefined) place = { before: place.before, after: rest };
    else if (next === undefined) return { next, unread };
    else place = { before: next, after: 0 };
  }
  return { next: place, unread };
}

async function history(
  reading: DataReader,
  uid: string,
  limit: number,
  start: Place,
  caller: Caller,
  maxImports?: number,
) {
  const entries: HistoryEntry[] = [];
  const look = async (record: ImportRecord, after: number) => {
    const page = await reading
      .rowsOf(record.id, caller)
      .rowsPage({ uid }, limit - entries.length, ORDER_OF_INPUT, { row: after, key: after });
    for (const { line, region, guid, scope, status, code, message, finishedAt } of page.rows) {
      const at = finishedAt ?? isoTime(record.createdAt);
      const { id: importId, file, state } = record;
      entries.push({ importId, file, state, line, at, region, guid, scope, status, code, message });
    }
    return page.more ? page.places.at(-1)?.row : undefined;
  };
  return { entries, ...(await lookInto(reading, start, look, () => entries.length >= limit, maxImports)) };
}

async function search(
  reading: DataReader,
  { text, limit }: { readonly text: string; readonly limit: number },
  start: Place,
  caller: Caller,
) {
  const found = new Map<string, FoundMember>();
  let looked = 0;
  const look = async (record: ImportRecord, after: number) => {
    const page = await reading.rowsOf(record.id, caller).uidsWith(text, limit - found.size, after);
    looked += page.looked;
    const newest = { importId: record.id, file: record.file, createdAt: isoTime(record.createdAt) };
    for (const uid of page.uids) found.set(foldId(uid), found.get(foldId(uid)) ?? { uid, newest });
    return page.next;
  };
  const place = await lookInto(reading, start, look, () => found.size >= limit || looked > MAX_ROWS);
  return { members: [...found.values()], ...place };
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

/** The last row that did something in each group of each region. Groups by GUID in lower case. */
type LastRows = ReadonlyMap<Region, ReadonlyMap<string, HistoryEntry>>;

/** @param entries of all imports to this service, newest import first, each in the order of the input */
function lastRows(entries: readonly HistoryEntry[]): LastRows {
  const last = new Map<Region, Map<string, HistoryEntry>>();
  for (const entry of entries) {
    if (LEFT[entry.status] === undefined) continue;
    const region = entry.region as Region;
    const groups = last.get(region) ?? new Map<string, HistoryEntry>();
    last.set(region, groups);
    const before = groups.get(foldId(entry.guid));
    const isLater = before === undefined || (entry.at ?? '') > (before.at ?? '');
    if (isLater || (entry.at === before.at && entry.importId === before.importId)) {
      groups.set(foldId(entry.guid), entry);
    }
  }
  return last;
}

interface Asking {
  readonly uid: string;
  readonly pages: Pick<GroupPages, 'listJoined' | 'getMembership' | 'listPage'>;
  readonly signal: AbortSignal;
}

/** Asks one region, and compares with what imports left. @throws the signal's reason, unless its time is over */
export async function whereNow(
  region: Region,
  rows: ReadonlyMap<string, HistoryEntry>,
  asking: Asking,
): Promise<{ readonly region: MemberNow['regions'][number]; readonly groups: readonly MembershipNow[] }> {
  try {
    const all = await asking.pages.listJoined(asking.uid, { signal: asking.signal });
    // Others may be groups of anybody, where the service ignores the filter (docs/chat-service.md, 70).
    const joined = all.filter(({ hasJoined }) => hasJoined === true);
    const isWhole = joined.length === all.length && all.length < MAX_PER_PAGE;
    const listed = new Map(joined.map(({ guid, scope }) => [foldId(guid), scope]));
    let asked = 0;
    const mayAsk = () => ++asked <= MAX_ASKED;
    const compared = [...rows].map(async ([guid, history]) => {
      const place = await placeIn(history, { listed: listed.get(guid), isWhole, mayAsk }, asking);
      return { region, guid: history.guid, ...place, differs: isDifferent(history, place), history };
    });
    const others = joined
      .filter(({ guid }) => !rows.has(foldId(guid)))
      .map(({ guid, scope }) => ({ region, guid, now: 'member' as const, scope, differs: false, history: null }));
    return { region: { region, problem: null, isWhole }, groups: [...(await Promise.all(compared)), ...others] };
  } catch (error) {
    const unknown = { now: 'unknown', scope: null, differs: false } as const;
    const groups = [...rows.values()].map((history) => ({ region, guid: history.guid, ...unknown, history }));
    return { region: { region, problem: problemIn(error), isWhole: false }, groups };
  }
}

type PlaceNow = Pick<MembershipNow, 'now' | 'scope'>;

interface Listed {
  /** Scope in the list of the user's groups; undefined: the group is not in it. */
  readonly listed: string | null | undefined;
  readonly isWhole: boolean;
  /** Whether one more group may be asked about. */
  readonly mayAsk: () => boolean;
}

async function placeIn(
  { guid, status }: HistoryEntry,
  { listed, isWhole, mayAsk }: Listed,
  { uid, pages, signal }: Asking,
): Promise<PlaceNow> {
  const left = LEFT[status];
  const member = (scope: string | null): PlaceNow => ({ now: 'member', scope });
  const other = (now: Exclude<MembershipNow['now'], 'member'>): PlaceNow => ({ now, scope: null });
  if (listed !== undefined && left !== 'banned') return member(listed);
  const unasked = isWhole && left !== 'banned' ? other('not-member') : other('unknown');
  const isAsked = !isWhole || left === 'banned' || left === 'member';
  if (!isAsked || !mayAsk()) return listed === undefined ? unasked : member(listed);
  try {
    if (listed === undefined && !isWhole) {
      const { scope, isKnown } = await pages.getMembership(guid, uid, { signal });
      if (scope !== null || !isKnown) return scope === null ? other('unknown') : member(scope);
    }
    const { entries } = await pages.listPage('banned', guid, 1, { signal });
    if (entries.some((banned) => foldId(banned.uid) === foldId(uid))) return other('banned');
    if (listed !== undefined) return member(listed);
    return left === 'banned' && entries.length >= BANNED_PER_PAGE ? other('unknown') : other('not-member');
  } catch (error) {
    if (!isQuestionRefused(error) || error.facts.ofRegion) throw error;
    if (error.code === GROUP_MISSING) return other('no-group');
    return listed === undefined ? unasked : member(listed);
  }
}

function isDifferent({ status, scope }: HistoryEntry, place: PlaceNow) {
  const left = LEFT[status];
  if (left === null || left === undefined || place.now === 'unknown') return false;
  if (left !== 'member' || place.now !== 'member')
    return left !== (place.now === 'no-group' ? 'not-member' : place.now);
  // An earlier member may have had another scope than the row asked for.
  return status !== 'already_member' && place.scope !== null && place.scope !== scope;
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
