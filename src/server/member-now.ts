import { isQuestionRefused, stopSentence } from '../../jobs/ask-service.ts';
import type { HistoryEntry, MemberNow, MembershipNow } from '../api/members.ts';
import { GROUP_MISSING, USER_MISSING } from '../chat/service/codes.ts';
import { BANNED_PER_PAGE, MAX_PER_PAGE } from '../chat/service/limits.ts';
import type { GroupPages } from '../imports/ask/group-pages.ts';
import { foldId, type Region } from '../membership/membership.ts';
import type { Outcome } from '../membership/outcome.ts';

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
export function lastRows(entries: readonly HistoryEntry[]): LastRows {
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

type Place = Pick<MembershipNow, 'now' | 'scope'>;

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
): Promise<Place> {
  const left = LEFT[status];
  const member = (scope: string | null): Place => ({ now: 'member', scope });
  const other = (now: Exclude<MembershipNow['now'], 'member'>): Place => ({ now, scope: null });
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

function isDifferent({ status, scope }: HistoryEntry, place: Place): boolean {
  const left = LEFT[status];
  if (left === null || left === undefined || place.now === 'unknown') return false;
  if (left !== 'member' || place.now !== 'member')
    return left !== (place.now === 'no-group' ? 'not-member' : place.now);
  // An earlier member may have had another scope than the row asked for.
  return status !== 'already_member' && place.scope !== null && place.scope !== scope;
}

/** @throws the error, if it says nothing about the region */
function problemIn(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return 'no answer came in time; the region may be waiting for a worker, for its rate limit or for the service';
  }
  if (!isQuestionRefused(error)) throw error;
  if (error.facts.ofRegion) return stopSentence(error, 'asked');
  if (error.code === USER_MISSING) return 'the service knows no such user, or the user is deactivated';
  return `${error.code}: ${error.message}`;
}
