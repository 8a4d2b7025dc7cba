import type { CallOptions } from '../../chat/call.ts';
import type { ListPages } from '../../chat/list-client.ts';
import type { GroupFacts, JoinedGroup, UserFacts } from '../../chat/replies.ts';
import type { Region } from '../../membership/membership.ts';

/** The client's calls that read, with its own types. They throw QuestionRefused, or the signal's reason. */
export interface GroupPages extends ListPages {
  /** An owner of null means that it is not known. */
  getGroup(guid: string, options: CallOptions): Promise<GroupFacts>;
  /** Whether a user is a member, and with which scope; `isKnown` is false when the service does not say. */
  getMembership(guid: string, uid: string, options: CallOptions): Promise<{ scope: string | null; isKnown: boolean }>;
  /** Groups of a user; `hasJoined` is null where the service does not say whether the user is in it. */
  listJoined(uid: string, options: CallOptions): Promise<readonly JoinedGroup[]>;
  getUser(uid: string, options: CallOptions): Promise<UserFacts>;
}

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
  return forOneAsker((region) => {
    const counted = Object.entries(pages(region)).map(([name, ask]) => [
      name,
      (...given: unknown[]) => {
        called();
        return Reflect.apply(ask, undefined, given);
      },
    ]);
    return Object.fromEntries(counted);
  });
}
