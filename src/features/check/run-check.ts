import pLimit from 'p-limit';
import { QuestionRefused } from '../../../jobs/ask-service.ts';
import { UntrustedListing } from '../../chat/call-errors.ts';
import type { GroupFacts, ListedMember } from '../../chat/replies.ts';
import { GROUP_MISSING } from '../../chat/service/codes.ts';
import { MAX_PER_PAGE } from '../../chat/service/limits.ts';
import { readBannedInto, readGroupsInto, readMembersInto } from '../../chat/whole-lists.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { countedPages, type GroupPages } from '../../imports/ask/group-pages.ts';
import { AT_ONCE, inRegions, inTurns } from '../../imports/ask/side-by-side.ts';
import type { Region } from '../../membership/membership.ts';
import type { CallsByRegion, CheckedGroup, CheckLedger } from './check-ledger.ts';
import { checkUsers, priceOfUsers } from './check-users.ts';
import type { Checking, CheckProgress } from './checking.ts';

/** The allowed calls are used up; results so far are kept. */
export class CallsUsedUp extends RollcallError {
  constructor(allowed: number) {
    super('CALLS_USED_UP', `${allowed} calls were allowed, and that is not enough`);
  }
}

export interface CheckRun {
  readonly ledger: CheckLedger;
  readonly pages: (region: Region) => GroupPages;
  readonly signal: AbortSignal;
  /** Calls that this run may make. */
  readonly maxCalls: number;
  /** Plans what would be created, once it is known which groups are missing; it may add users to ask about. */
  readonly plan?: () => Promise<void>;
  readonly onProgress: (progress: CheckProgress) => void;
}

/** Groups or users that are taken from the file at a time. */
const AT_A_TIME = 500;
/** Calls for the list of deactivated users, which is nearly always short. */
const DEACTIVATED = 1;
/** From this many groups, it is worth a call to ask how long the list of all groups is. */
const WORTH_A_LIST = 20;

/**
 * Asks the service about everything that the rows of a staged import name, in the cheaper of two ways each: groups one by
 * one or as a list, members group by group or user by user, users likewise. Nothing is changed at the service. Continues
 * where an earlier run was interrupted. Ends in the state that it writes: `running` when all was asked (the verdicts are
 * made next), `priced` when the calls were not allowed, `stopped` when a region refuses every call. Rejects with the
 * signal's reason; the check can continue later.
 */
export async function runCheck({ maxCalls, onProgress, ...run }: CheckRun): Promise<void> {
  const { ledger, signal } = run;
  ledger.move('running', '');
  let left = maxCalls;
  const checking: Checking = {
    ledger,
    signal,
    left: () => left,
    pages: countedPages(run.pages, () => {
      if (left < 1) throw new CallsUsedUp(maxCalls);
      left -= 1;
      ledger.called();
    }),
    progress: (step, of) => {
      const known = steps.get(step) ?? { done: 0, of: 0 };
      steps.set(step, known);
      known.of += of;
      return () => {
        known.done += 1;
        onProgress({ step, ...known });
      };
    },
  };
  /** Over all regions. */
  const steps = new Map<CheckProgress['step'], { done: number; of: number }>();
  const regions = ledger.regions();
  /** Whether this much may be spent. */
  const pay = (price: CallsByRegion): boolean => {
    const calls = sumOf(price);
    if (calls <= left) return true;
    ledger.move('priced', `${calls} more calls are needed at most, and ${left} are allowed`, price);
    return false;
  };
  try {
    const pending = regions.map((region) => [region, ledger.pendingCount(region)] as const);
    if (!pay(byRegion(pending))) return;
    await inRegions(regions, signal, (region, either) =>
      findGroups({ ...checking, signal: either }, region, ledger.pendingCount(region)),
    );
    ledger.chooseWays();
    await run.plan?.();

    const members = ledger.priceOfMembers();
    const atMost = new Map(regions.map((region) => [region, ledger.openUserCount(region)]));
    const price = () =>
      byRegion(regions.map((region) => [region, (members.get(region) ?? 0) + (atMost.get(region) ?? 0) + DEACTIVATED]));
    // If the price is too high, one call to find out the cost of the list of users pays off.
    if (sumOf(price()) > left) {
      for (const region of regions) atMost.set(region, (await priceOfUsers(checking, region)).calls);
    }
    if (!pay(price())) return;
    await inRegions(regions, signal, (region, either) => readMembers({ ...checking, signal: either }, region));
    await inRegions(regions, signal, (region, either) => checkUsers({ ...checking, signal: either }, region));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CallsUsedUp) ledger.move('priced', error.message);
    else if (error instanceof QuestionRefused && error.ofRegion) {
      ledger.move('stopped', error.stopSentence('asked'));
    } else throw error;
  }
}

function sumOf(price: CallsByRegion): number {
  return Object.values(price).reduce((sum, n) => sum + n, 0);
}

function byRegion(calls: readonly (readonly [Region, number])[]): CallsByRegion {
  return Object.fromEntries(calls.filter(([, n]) => n > 0));
}

async function findGroups(checking: Checking, region: Region, pending: number): Promise<void> {
  const { ledger, pages, signal } = checking;
  if (pending >= WORTH_A_LIST) await listGroups(checking, region, pending);
  const open = ledger.pendingCount(region);
  const advance = checking.progress('groups', open);
  await inTurns(
    signal,
    (after) => ledger.pendingGroups(region, after, AT_A_TIME),
    async (group, stop) => {
      try {
        ledger.found(group.id, await pages(region).getGroup(group.guid, { signal: stop }));
      } catch (error) {
        const why = whyOfGroup(error);
        ledger.notFound(group.id, why.code === GROUP_MISSING ? 'missing' : 'failed', why);
      }
      advance();
    },
  );
}

/** Reads the list of all groups where that costs less than asking for each. A group that is not in it is asked for by name. */
async function listGroups({ ledger, pages, signal, left }: Checking, region: Region, pending: number): Promise<void> {
  const { pagination } = await pages(region).listGroupsPage(1, { signal });
  const calls = Math.ceil((pagination?.total ?? Number.POSITIVE_INFINITY) / MAX_PER_PAGE);
  // A total of 0 on a page with groups is ignored.
  if (calls < 1 || calls * 2 > pending || calls > left()) return;
  const list = ledger.list<GroupFacts>('groups', region, (facts) => JSON.stringify(facts));
  try {
    await readGroupsInto(list, pages(region), { signal });
    ledger.takeGroupList(region);
  } catch (error) {
    if (!(error instanceof UntrustedListing)) throw error;
  }
}

async function readMembers(checking: Checking, region: Region): Promise<void> {
  const { ledger, signal } = checking;
  const advance = checking.progress('members', ledger.openGroupCount(region));
  await inTurns(
    signal,
    (after) => ledger.openGroups(region, after, AT_A_TIME),
    async (group, stop) => {
      try {
        await readPlaces({ ...checking, signal: stop }, region, group, group.way);
      } catch (error) {
        const why = whyOfGroup(error);
        ledger.notFound(group.id, why.code === GROUP_MISSING ? 'missing' : 'failed', why);
      }
      advance();
    },
  );
}

async function readPlaces(
  { ledger, pages, signal }: Checking,
  region: Region,
  { id, guid }: CheckedGroup,
  way: 'list' | 'ask',
): Promise<void> {
  if (way === 'list') {
    const list = ledger.list<ListedMember>('members', id, ({ scope }) => scope.toLowerCase());
    await readMembersInto(list, pages(region), guid, { signal });
    ledger.takeMemberList(id);
  } else {
    await pLimit(AT_ONCE).map(ledger.placesToAsk(id), async ({ id: user, uid }) => {
      signal.throwIfAborted();
      const place = await membershipOf(pages(region), guid, uid, signal);
      if (place !== undefined) ledger.setPlace(id, user, place);
    });
  }
  await readBannedInto(
    ledger.list<string>('banned', id, () => null),
    pages(region),
    guid,
    { signal },
  );
  ledger.takeBannedList(id, region);
  ledger.closeGroup(id);
}

/** Scope, or null for a user who is not in the group; undefined where the service does not say. */
async function membershipOf(
  pages: GroupPages,
  guid: string,
  uid: string,
  signal: AbortSignal,
): Promise<string | null | undefined> {
  try {
    const { isKnown, scope } = await pages.getMembership(guid, uid, { signal });
    return isKnown ? scope : undefined;
  } catch (error) {
    if (!(error instanceof QuestionRefused) || error.ofRegion) throw error;
    // The service itself sees the group: this user may not read it, or does not exist.
    return undefined;
  }
}

/** Returns the reason why a group could not be read; throws errors that concern more than this group. */
function whyOfGroup(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof UntrustedListing || (error instanceof QuestionRefused && !error.ofRegion)) {
    const { code, message } = error;
    return { code, message };
  }
  throw error;
}
