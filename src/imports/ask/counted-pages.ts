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
