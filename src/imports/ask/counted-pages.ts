import type { Region } from '../../membership/membership.ts';
import type { GroupPages } from './group-pages.ts';

type PagesIn = (region: Region) => GroupPages;

/** The same pages, for one asker in each region: its questions have the share of one import together (send/group-reader.ts). */
export function forOneAsker(pages: PagesIn): PagesIn {
  const known = new Map<Region, GroupPages>();
  return (region) => {
    const here = known.get(region) ?? pages(region);
    known.set(region, here);
    return here;
  };
}

/** The pages of one asker; `called` runs before every call. A call that is repeated after a fault counts once. */
export function countedPages(pages: PagesIn, called: () => void): PagesIn {
  const counted =
    <Given extends readonly unknown[], Answer>(ask: (...given: Given) => Promise<Answer>) =>
    (...given: Given): Promise<Answer> => {
      called();
      return ask(...given);
    };
  return forOneAsker((region) => {
    const here = pages(region);
    return {
      listMembersPage: counted(here.listMembersPage),
      listBannedPage: counted(here.listBannedPage),
      listUsersPage: counted(here.listUsersPage),
      listGroupsPage: counted(here.listGroupsPage),
      getGroup: counted(here.getGroup),
      getMembership: counted(here.getMembership),
      listJoined: counted(here.listJoined),
      getUser: counted(here.getUser),
      deleteUser: counted(here.deleteUser),
      deleteGroup: counted(here.deleteGroup),
    };
  });
}
