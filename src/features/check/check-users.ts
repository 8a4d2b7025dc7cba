import { QuestionRefused } from '../../../jobs/ask-service.ts';
import { UntrustedListing } from '../../chat/call-errors.ts';
import type { UserFacts } from '../../chat/replies.ts';
import { USER_MISSING } from '../../chat/service/codes.ts';
import { MAX_PER_PAGE } from '../../chat/service/limits.ts';
import { readUsersInto } from '../../chat/whole-lists.ts';
import { inTurns } from '../../imports/ask/side-by-side.ts';
import type { Region } from '../../membership/membership.ts';
import type { CheckedUser } from './check-ledger.ts';
import type { Checking } from './checking.ts';

/** The cost of asking about users, in calls. */
type AskingUsers = Pick<Checking, 'ledger' | 'pages' | 'signal' | 'progress'>;

/** The cheaper way to look up the users of a region. */
interface UserPrice {
  readonly way: 'list' | 'ask';
  /** At most, those for the deactivated not counted. */
  readonly calls: number;
}

/** Number of users up to which each is asked about: the length of the list of all users is not asked for. */
const MAX_ASKED = 3;
/** Users missing from the list who are asked for by name, before the list is trusted. */
const SPOT_CHECKS = 25;
const AT_A_TIME = 500;

/** Returns the cost of asking about a region's users: one by one, or as the list of all users, whichever is less. */
export async function priceOfUsers({ ledger, pages, signal }: AskingUsers, region: Region): Promise<UserPrice> {
  const open = ledger.openUserCount(region);
  if (open <= MAX_ASKED) return { way: 'ask', calls: open };
  const { pagination, entries } = await pages(region).listUsersPage(1, { signal });
  const total = pagination?.total ?? 0;
  // Published samples count a total of 0 on pages with users: such a total is ignored.
  if (total < entries.length) return { way: 'ask', calls: open };
  const calls = Math.max(1, Math.ceil(total / MAX_PER_PAGE)) + Math.min(SPOT_CHECKS, open);
  return calls < open ? { way: 'list', calls } : { way: 'ask', calls: open };
}

/** Finds out which users exist, and which of the others are deactivated. */
export async function checkUsers(checking: AskingUsers, region: Region): Promise<void> {
  const { way } = await priceOfUsers(checking, region);
  if (way === 'list' && (await listUsers(checking, region))) await believeList(checking, region);
  else await askForUsers(checking, region);
  await findDeactivated(checking, region);
}

async function listUsers({ ledger, pages, signal }: AskingUsers, region: Region): Promise<boolean> {
  try {
    const list = ledger.list<UserFacts>('users', region, ({ deactivatedAt }) =>
      deactivatedAt === null ? null : 'deactivated',
    );
    await readUsersInto(list, pages(region), { signal });
    ledger.takeUserList(region);
    return true;
  } catch (error) {
    if (error instanceof UntrustedListing) return false;
    throw error;
  }
}

/** Some of those who are not in the list are asked for by name. If one of them exists, the list is not trusted. */
async function believeList(checking: AskingUsers, region: Region): Promise<void> {
  const { ledger } = checking;
  let believed = true;
  for (const user of ledger.someOpenUsers(region, SPOT_CHECKS)) {
    if ((await stateOf(checking, region, user, checking.signal)) === 'exists') believed = false;
  }
  if (believed) ledger.restIsUnknown(region);
  else {
    ledger.note(`the list of users in ${region} lacks users who exist, so that each was asked for by name`);
    await askForUsers(checking, region);
  }
}

async function askForUsers(checking: AskingUsers, region: Region): Promise<void> {
  const { ledger, signal } = checking;
  const advance = checking.progress('users', ledger.openUserCount(region));
  await inTurns(
    signal,
    (after) => ledger.openUsers(region, after, AT_A_TIME),
    async (user, stop) => {
      await stateOf(checking, region, user, stop);
      advance();
    },
  );
}

/** Asks for one user and notes the answer; undefined where there is none. */
async function stateOf(
  { ledger, pages }: AskingUsers,
  region: Region,
  { id, uid }: CheckedUser,
  signal: AbortSignal,
): Promise<'exists' | 'unknown' | 'deactivated' | undefined> {
  try {
    const { deactivatedAt } = await pages(region).getUser(uid, { signal });
    const state = deactivatedAt === null ? 'exists' : 'deactivated';
    ledger.setUser(id, state);
    return state;
  } catch (error) {
    if (!(error instanceof QuestionRefused) || error.ofRegion) throw error;
    if (error.code !== USER_MISSING) {
      ledger.note(`some users in ${region} could not be asked for: ${error.code}: ${error.message}`);
      return undefined;
    }
    ledger.setUser(id, 'unknown');
    return 'unknown';
  }
}

/**
 * The service gives the same answer for a deactivated user as for one who does not exist, and may list such a user as a
 * member; the list of deactivated users distinguishes them.
 */
async function findDeactivated({ ledger, pages, signal }: AskingUsers, region: Region): Promise<void> {
  try {
    const list = ledger.list<UserFacts>('deactivated', region, () => null);
    await readUsersInto(list, pages(region), { signal, onlyDeactivated: true });
    ledger.takeDeactivatedList(region);
  } catch (error) {
    if (!(error instanceof UntrustedListing || (error instanceof QuestionRefused && !error.ofRegion))) throw error;
    ledger.note(`deactivated users in ${region} cannot be distinguished from others: ${error.message}`);
  }
}
