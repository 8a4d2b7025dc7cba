import { pay, priceSum, runSurvey, type SurveyRun } from '../../imports/survey/crawl.ts';
import { findGroups, readGroups } from '../../imports/survey/read-groups.ts';
import { findUsers, priceOfUsers } from '../../imports/survey/read-users.ts';
import type { Region } from '../../membership/membership.ts';

export interface CheckRun extends SurveyRun {
  /** Plans what would be created, once it is known which groups are missing; it may add users to ask about. */
  readonly plan?: () => Promise<void>;
}

/** Calls for the list of deactivated users, which is nearly always short. */
const DEACTIVATED = 1;

/**
 * Asks the service about everything that the rows of a staged import name, in the cheaper of two ways each: groups one by
 * one or as a list, members group by group or user by user, users likewise. Nothing is changed at the service. Returns whether
 * all was asked: the verdicts are made next. Waits, stops and continues as every survey (runSurvey).
 */
export async function runCheck({ plan, ...run }: CheckRun): Promise<boolean> {
  const { survey } = run;
  const regions = survey.regions();
  const ofEach = (calls: (region: Region) => number) => new Map(regions.map((region) => [region, calls(region)]));
  const parts = { parts: ['members', 'banned'] } as const;
  return runSurvey(run, 'asked', async (crawl) => {
    pay(
      crawl,
      ofEach((region) => survey.pendingCount(region)),
    );
    await findGroups(crawl, regions);
    survey.chooseWays();
    await plan?.();
    const members = survey.priceOf(parts);
    const atMost = ofEach((region) => survey.openUserCount(region));
    const price = () => ofEach((region) => (members.get(region) ?? 0) + (atMost.get(region) ?? 0) + DEACTIVATED);
    // If the price is too high, one call to find out the cost of the list of users pays off.
    if (priceSum(price()) > crawl.left()) {
      for (const region of regions) atMost.set(region, (await priceOfUsers(crawl, region)).calls);
    }
    pay(crawl, price());
    await readGroups(crawl, regions, 'members', parts);
    await findUsers(crawl, regions);
  });
}
