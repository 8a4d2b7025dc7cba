import type { ChatClient } from '../../src/chat/chat-client.ts';
import type { Region } from '../../src/membership/membership.ts';
import { Doorkeeper } from '../imports/doorkeeper.ts';

/** Everyone who was sent in a call that reached the service, as often as that was; calls wait at the door. */
export class ServiceJournal {
  readonly sent: string[] = [];
  readonly door = new Doorkeeper();

  readonly chat = (service: ChatClient, region: Region): ChatClient =>
    this.door.chat(
      {
        ...service,
        addMembers: (guid, request, options) => {
          this.sent.push(...(request.participants ?? []));
          return service.addMembers(guid, request, options);
        },
      },
      region,
    );

  /** Those who were sent more than once. */
  get repeated(): string[] {
    return this.sent.filter((uid, at) => this.sent.indexOf(uid) !== at);
  }
}
