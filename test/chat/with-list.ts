import type { ListEntry, ListKind, ListPages, Page } from '../../src/chat/list-client.ts';

/** The client, with pages of one of its lists as `read` gives them. */
export function withList<Client extends ListPages, Kind extends ListKind>(
  chat: Client,
  kind: Kind,
  read: (page: () => Promise<Page<ListEntry<Kind>>>, guid: string, number: number) => Promise<Page<ListEntry<Kind>>>,
): Client {
  const listPage = (asked: ListKind, guid: string, page: number, options: object = {}) => {
    const real = () => chat.listPage(asked, guid, page, options);
    return asked === kind ? read(real as never, guid, page) : real();
  };
  return { ...chat, listPage };
}
