import pLimit from 'p-limit';
import { QuestionRefused } from '../../../../jobs/ask-service.ts';
import { UntrustedListing } from '../../../chat/call-errors.ts';
import { GROUP_MISSING } from '../../../chat/service/codes.ts';
import { readBanned, readMembers } from '../../../chat/whole-lists.ts';
import type { GroupPages } from '../../../imports/ask/group-pages.ts';
import type { Region } from '../../../membership/membership.ts';
import { CannotPlan } from '../sync-errors.ts';
import { type PlanLedger, UnknownScope } from './plan-ledger.ts';
import type { GroupName } from './plan-reading.ts';

export interface LiveState {
  readonly plan: PlanLedger;
  readonly pages: (region: Region) => Pick<GroupPages, 'listMembersPage' | 'listBannedPage' | 'getGroup'>;
  readonly signal: AbortSignal;
  /** Called for every group that has been read, with what was read. */
  readonly onGroup: (asked: 'members' | 'owner' | 'banned') => void;
}

/** Groups that are read at the same time: enough to keep every region busy, and a bound on the members in memory. */
const GROUPS_AT_ONCE = 40;

/** Lists the members of every group that the plan does not know yet. A group that cannot be listed says why. */
export async function listMembers({ plan, pages, signal, onGroup }: LiveState): Promise<void> {
  await forEach(plan.groupsToList(), signal, async (group, { signal: stop }) => {
    try {
      const members = await readMembers(pages(group.region), group.guid, { signal: stop });
      plan.recordListed(group, members);
    } catch (error) {
      const why = whyUnread(error);
      plan.recordUnlisted(group, why.code === GROUP_MISSING ? 'not_found' : 'failed', why);
    }
    onGroup('members');
  });
}

/** Asks who owns these groups. If that is not known, any user may be the owner. */
export async function askOwners(
  { plan, pages, signal, onGroup }: LiveState,
  groups: readonly GroupName[],
): Promise<void> {
  await forEach(groups, signal, async (group, { signal: stop }) => {
    try {
      const { owner } = await pages(group.region).getGroup(group.guid, { signal: stop });
      if (owner !== null) plan.recordOwner(group, owner);
    } catch (error) {
      whyUnread(error);
    }
    onGroup('owner');
  });
}

/** Asks who is banned from these groups. If that is not known, nothing is done in the group. */
export async function askBanned(
  { plan, pages, signal, onGroup }: LiveState,
  groups: readonly GroupName[],
): Promise<void> {
  await forEach(groups, signal, async (group, { signal: stop }) => {
    try {
      const banned = await readBanned(pages(group.region), group.guid, { signal: stop });
      plan.recordBanned(group, banned);
    } catch (error) {
      plan.recordUnlisted(group, 'failed', whyUnread(error));
    }
    onGroup('banned');
  });
}

/** Returns the reason why a group could not be read; throws errors that concern more than this group. */
function whyUnread(error: unknown): { readonly code: string; readonly message: string } {
  throwIfRefused(error);
  if (error instanceof QuestionRefused || error instanceof UntrustedListing || error instanceof UnknownScope) {
    const { code, message } = error;
    return { code, message };
  }
  throw error;
}

/** @throws CannotPlan where the region refuses every call */
export function throwIfRefused(error: unknown): void {
  if (error instanceof QuestionRefused && error.ofRegion) {
    throw CannotPlan.regionRefused(error.region, error.code, error.message);
  }
}

/** Side by side within the bound. The first error ends the others, and is thrown when they have ended. */
async function forEach<Item>(
  items: readonly Item[],
  signal: AbortSignal,
  work: (item: Item, options: { readonly signal: AbortSignal }) => Promise<void>,
): Promise<void> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  await pLimit(GROUPS_AT_ONCE).map(items, async (item) => {
    if (either.aborted) return;
    await work(item, { signal: either }).catch((error: unknown) => failed.abort(error));
  });
  either.throwIfAborted();
}
