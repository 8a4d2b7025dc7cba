import type { GroupPages } from './group-reader.ts';

/** The same pages; `called` runs before every call. A call that is repeated after a fault counts once. */
export function countedPages(pages: GroupPages, called: () => void): GroupPages {
  const counted =
    <Given extends readonly unknown[], Answer>(ask: (...given: Given) => Promise<Answer>) =>
    (...given: Given): Promise<Answer> => {
      called();
      return ask(...given);
    };
  return {
    listMembersPage: counted(pages.listMembersPage),
    listBannedPage: counted(pages.listBannedPage),
    listUsersPage: counted(pages.listUsersPage),
    listGroupsPage: counted(pages.listGroupsPage),
    getGroup: counted(pages.getGroup),
    getMembership: counted(pages.getMembership),
    listJoined: counted(pages.listJoined),
    getUser: counted(pages.getUser),
    deleteUser: counted(pages.deleteUser),
    deleteGroup: counted(pages.deleteGroup),
  };
}
