import type { Region } from '../../membership/membership.ts';
import type { GroupPages } from './group-pages.ts';

type PagesIn = (region: Region) => GroupPages;

/** The same pages, for one asker in each region: its questions have the share of one import together (send/group-reader.ts). */
export function forOneAsker(pages: PagesIn): PagesIn {
  const known = new Map<Region, GroupPages>();
  return (region) => {
    const opened = known.get(region) ?? pages(region);
    known.set(region, opened);
    return opened;
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
    const asked = pages(region);
    return {
      listMembersPage: counted(asked.listMembersPage),
      listBannedPage: counted(asked.listBannedPage),
      listUsersPage: counted(asked.listUsersPage),
      listGroupsPage: counted(asked.listGroupsPage),
      getGroup: counted(asked.getGroup),
      getMembership: counted(asked.getMembership),
      listJoined: counted(asked.listJoined),
      getUser: counted(asked.getUser),
      deleteUser: counted(asked.deleteUser),
      deleteGroup: counted(asked.deleteGroup),
    };
  });
}
