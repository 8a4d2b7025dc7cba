import { GROUP_MISSING } from '../../chat/service/codes.ts';
import { readList } from '../../chat/whole-lists.ts';
import type { Region } from '../../membership/membership.ts';
import { sumOf } from '../../text/wording.ts';
import type { GroupPages } from '../ask/group-pages.ts';
import { type Crawl, isListTaken, listCalls, type SurveyStep, whyOfOne } from './crawl.ts';
import { inPages, inRegions, inTurns } from './side-by-side.ts';
import type { OpenGroup, OpenUser, WantedParts } from './survey.ts';

/** Groups that are taken from the file at a time; their members go into it page by page. */
const AT_A_TIME = 500;
/** From this many groups, it is worth a call to ask how long the list of all groups is. */
const WORTH_A_LIST = 20;

/**
 * Asks which of the groups exist, in the cheaper way: one by one, or as a list of all. A group that is not in the list is asked for by
 * name.
 */
export async function findGroups(crawl: Crawl, regions: readonly Region[]) {
  await inRegions(regions, crawl.signal, async (region, signal) => {
    const pending = crawl.survey.count('count_pending', region);
    if (pending < WORTH_A_LIST) return;
    const here = { ...crawl, signal };
    const calls = await listCalls(here, region, 'groups');
    if (calls >= 1 && calls * 2 <= pending && calls <= crawl.left()) await isListTaken(here, region, 'groups');
  });
  await readGroups(crawl, regions, 'groups', { parts: ['facts'] });
}

/**
 * Reads parts of groups that are not read yet. A group that does not exist or cannot be read says why.
 *
 * Its members are read before its banned users: who is banned in between is in both lists and counts as banned. What
 * chat/whole-lists.ts says about lists that change while they are read holds for every list here.
 */
export async function readGroups(crawl: Crawl, regions: readonly Region[], step: SurveyStep, wanted: WantedParts) {
  const { survey } = crawl;
  const read = crawl.progress(step, sumOf(survey.openWork(wanted).map(({ groups }) => groups)));
  await inRegions(regions, crawl.signal, (region, either) =>
    inTurns(
      either,
      inPages((after) => survey.openGroups(region, wanted, after, AT_A_TIME)),
      async (group, signal) => {
        await readGroup({ ...crawl, signal }, region, group);
        read();
      },
    ),
  );
}

async function readGroup(crawl: Crawl, region: Region, group: OpenGroup) {
  const { survey, signal } = crawl;
  const { id, guid, way } = group;
  const pages = crawl.pages(region);
  try {
    if (group.facts) survey.setFacts(id, { ...(await pages.getGroup(guid, { signal })), guid });
    if (group.members && way === 'ask') await askForMembers(crawl, region, group);
    else if (group.members) await readList(survey.memberList(id), pages, 'members', guid, { signal });
    if (group.banned) await readList(survey.bannedList(id), pages, 'banned', guid, { signal });
    if (group.members || group.banned) survey.closeGroup(id, group);
  } catch (error) {
    const why = whyOfOne(error);
    // Its members are known: only its facts are not.
    if (group.listed && group.facts) survey.setFacts(id, {});
    else survey.failGroup(id, why.code === GROUP_MISSING ? 'missing' : 'failed', why);
  }
}

async function askForMembers(crawl: Crawl, region: Region, { id, guid }: OpenGroup) {
  const { survey, pages } = crawl;
  const users = survey.sql<OpenUser>('users_to_ask').all({ group: id });
  await inTurns(crawl.signal, [users], async (user, signal) => {
    const scope = await membershipOf(pages(region), guid, user.uid, signal);
    if (scope !== undefined) survey.setMember(id, user, scope);
  });
}

/** Scope, or null for a user who is not in the group; undefined where the service does not say. */
async function membershipOf(pages: GroupPages, guid: string, uid: string, signal: AbortSignal) {
  try {
    const { isKnown, scope } = await pages.getMembership(guid, uid, { signal });
    return isKnown ? scope : undefined;
  } catch (error) {
    // The service itself sees the group: this user may not read it, or does not exist.
    whyOfOne(error);
    return undefined;
  }
}
