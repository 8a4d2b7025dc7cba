import { USER_MISSING } from '../../chat/service/codes.ts';
import type { Region } from '../../membership/membership.ts';
import { sumOf } from '../../text/wording.ts';
import { type Crawl, isListTaken, listCalls, pay, takeList, whyOfOne } from './crawl.ts';
import { inPages, inRegions, inTurns } from './side-by-side.ts';
import type { OpenUser } from './survey.ts';

/** Number of users up to which each is asked about: the length of the list of all users is not asked for. */
const MAX_ASKED = 3;
/** Users missing from the list who are asked for by name, before the list is trusted. */
const SPOT_CHECKS = 25;
const AT_A_TIME = 500;

/** Returns the cost of asking about a region's users, one by one or as the list of all users, whichever is less; those for the deactivated not counted. */
async function priceOfUsers(crawl: Crawl, region: Region) {
  const ask = crawl.survey.count('count_open_users', region);
  if (ask <= MAX_ASKED) return { isListed: false, calls: ask };
  const list = Math.max(1, await listCalls(crawl, region, 'users')) + Math.min(SPOT_CHECKS, ask);
  return { isListed: list < ask, calls: Math.min(list, ask) };
}

/** Makes sure that users may be asked about. @param beside calls for other things in a region @throws CALLS_USED_UP */
export async function payForUsers(crawl: Crawl, regions: readonly Region[], beside = (_: Region) => 0) {
  const price = new Map(
    regions.map((region) => [region, beside(region) + crawl.survey.count('count_open_users', region)]),
  );
  // If that is too much, one call to find out the cost of the list of users pays off.
  if (sumOf(price.values()) > crawl.left()) {
    for (const region of regions) price.set(region, beside(region) + (await priceOfUsers(crawl, region)).calls);
  }
  pay(crawl, price);
}

/** Finds out which of the users that are asked about exist, and which of the others are deactivated. */
export async function findUsers(crawl: Crawl, regions: readonly Region[]) {
  await inRegions(regions, crawl.signal, async (region, signal) => {
    const here = { ...crawl, signal };
    const { isListed } = await priceOfUsers(here, region);
    if (isListed && (await isListTaken(here, region, 'users'))) await believeList(here, region);
    else await askForUsers(here, region);
    await findDeactivated(here, region);
  });
}

/** Some of those who are not in the list are asked for by name. If one of them exists, the list is not trusted. */
async function believeList(crawl: Crawl, region: Region) {
  const { survey } = crawl;
  let believed = true;
  for (const user of survey.sql<OpenUser>('some_open_users').all({ region, limit: SPOT_CHECKS })) {
    if ((await stateOf(crawl, region, user)) === 'exists') believed = false;
  }
  if (believed) survey.sql('rest_is_unknown').run({ region });
  else {
    survey.note(`the list of users in ${region} lacks users who exist, so that each was asked for by name`);
    await askForUsers(crawl, region);
  }
}

async function askForUsers(crawl: Crawl, region: Region) {
  const { survey } = crawl;
  const answered = crawl.progress('users', survey.count('count_open_users', region));
  await inTurns(
    crawl.signal,
    inPages((after) => survey.sql<OpenUser>('open_users').all({ region, after, limit: AT_A_TIME })),
    async (user, signal) => {
      await stateOf({ ...crawl, signal }, region, user);
      answered();
    },
  );
}

/** Asks for one user and notes the answer; undefined where there is none. */
async function stateOf({ survey, pages, signal }: Crawl, region: Region, { id: user, uid }: OpenUser) {
  const state = await pages(region)
    .getUser(uid, { signal })
    .then(
      ({ deactivatedAt }) => (deactivatedAt === null ? 'exists' : 'deactivated'),
      (error: unknown) => {
        const { code, message } = whyOfOne(error);
        if (code === USER_MISSING) return 'unknown';
        survey.note(`some users in ${region} could not be asked for: ${code}: ${message}`);
        return undefined;
      },
    );
  if (state !== undefined) survey.sql('set_user').run({ user, state });
  return state;
}

/**
 * The service gives the same answer for a deactivated user as for one who does not exist, and may list such a user as a
 * member; the list of deactivated users distinguishes them.
 */
async function findDeactivated(crawl: Crawl, region: Region) {
  try {
    await takeList(crawl, region, 'deactivated');
  } catch (error) {
    const { message } = whyOfOne(error);
    crawl.survey.note(`deactivated users in ${region} cannot be distinguished from others: ${message}`);
  }
}
