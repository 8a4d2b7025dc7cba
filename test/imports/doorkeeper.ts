import { callAborted } from '../../src/chat/call-errors.ts';
import type { ChatClient } from '../../src/chat/chat-client.ts';
import type { Region } from '../../src/membership/membership.ts';

export type AddMembersCall = Parameters<ChatClient['addMembers']>;

/** Stands between workers and service: calls wait until the test lets them through, so that nothing depends on time. */
export class Doorkeeper {
  /** Calls that have come, whether or not they were let through. */
  arrived = 0;
  #open = false;
  #waiting: (() => void)[] = [];
  #watchers: (() => void)[] = [];

  readonly chat = (service: ChatClient, _region: Region): ChatClient => ({
    ...service,
    addMembers: async (...call) => {
      await this.#wait(call[2]?.signal);
      return service.addMembers(...call);
    },
    changeScope: async (...call) => {
      await this.#wait(call[3]?.signal);
      return service.changeScope(...call);
    },
    removeMember: async (...call) => {
      await this.#wait(call[2]?.signal);
      return service.removeMember(...call);
    },
  });

  /** Resolves when this many calls have come. */
  async until(calls: number): Promise<void> {
    while (this.arrived < calls) await new Promise<void>((resolve) => this.#watchers.push(resolve));
  }

  /** Lets nobody through from now on. */
  shut(): void {
    this.#open = false;
  }

  /** Lets everyone through from now on. */
  open(): void {
    this.#open = true;
    this.letIn(Number.POSITIVE_INFINITY);
  }

  /** Lets through some of those who wait. */
  letIn(calls: number): void {
    for (const pass of this.#waiting.splice(0, calls)) pass();
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    this.arrived += 1;
    for (const watcher of this.#watchers.splice(0)) watcher();
    if (this.#open) return;
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push(resolve);
      const leave = () => reject(callAborted(false, signal?.reason));
      if (signal?.aborted) leave();
      signal?.addEventListener('abort', leave);
    });
  }
}

/** Counts the calls that only ask: what the group has before a repeat, and whether the service answers again. */
export class Questions {
  asked = 0;

  readonly chat = (service: ChatClient): ChatClient => {
    const counted =
      <Given extends readonly unknown[], Answer>(ask: (...given: Given) => Answer) =>
      (...given: Given): Answer => {
        this.asked += 1;
        return ask(...given);
      };
    return {
      ...service,
      getGroup: counted(service.getGroup),
      getMembership: counted(service.getMembership),
      listPage: counted(service.listPage) as ChatClient['listPage'],
    };
  };
}

/** A service that carries out every call unless `refuse` throws for it. */
export function refusing(refuse: (call: AddMembersCall, region: Region) => void | Promise<void>) {
  return (service: ChatClient, region: Region): ChatClient => ({
    ...service,
    addMembers: async (...call) => {
      await refuse(call, region);
      return service.addMembers(...call);
    },
  });
}
