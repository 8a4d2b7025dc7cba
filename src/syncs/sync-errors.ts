import { RollcallError } from '../errors/rollcall-error.ts';
import type { Region } from '../membership/membership.ts';
import type { SyncState } from '../membership/sync-state.ts';
import type { SyncRecord } from './sync-catalog.ts';

/** An id that no sync has. */
export class UnknownSync extends RollcallError {
  constructor(id: string) {
    super('UNKNOWN_SYNC', `no sync has the id ${JSON.stringify(id)}`, {
      remedy: '`rollcall sync list` shows those that there are',
      facts: { id },
    });
  }
}

/** What was asked is not possible with a sync as it is. */
export class SyncRefused extends RollcallError {
  constructor(message: string) {
    super('WRONG_STATE', message);
  }

  static held({ id, reason }: SyncRecord): SyncRefused {
    return new SyncRefused(
      `sync ${id} is held: ${reason.replace(/\.$/, '')}; look at it with \`rollcall sync show ${id}\`, and let it through with \`rollcall sync approve ${id} --reason "…"\``,
    );
  }

  static notHeld(id: string, state: SyncState): SyncRefused {
    return new SyncRefused(
      `sync ${id} is ${state}: only what is held for an objection of the guards is approved${
        state === 'planned' ? `; \`rollcall sync apply ${id}\` carries it out` : ''
      }`,
    );
  }

  /** What was meant for the sandbox must not reach the service, nor the reverse. */
  static target(id: string, meantForSandbox: boolean): SyncRefused {
    return new SyncRefused(
      meantForSandbox
        ? `${id} was meant for the sandbox, and this process sends to the service; go on with it in one that was started with --sandbox`
        : `${id} was not meant for the sandbox, and this process sends to one; go on with it in one that was started without --sandbox`,
    );
  }

  /** Nobody is to wonder later who let a plan through, and why. */
  static reason(verb: 'approve' | 'reject', id: string): SyncRefused {
    return new SyncRefused(`say why: rollcall sync ${verb} ${id} --reason "…"`);
  }

  static cancel(id: string, state: SyncState): SyncRefused {
    const carried = state === 'applying' ? `; its import is ended with \`rollcall cancel ${id}\`` : '';
    return new SyncRefused(`sync ${id} is ${state}: there is nothing under way to cancel${carried}`);
  }

  static undo(importId: string, why: string): SyncRefused {
    return new SyncRefused(`import ${importId} cannot be undone: ${why}`);
  }
}

/** No plan can be made; nothing was sent. */
export class CannotPlan extends RollcallError {
  static noApp(regions: readonly Region[]): CannotPlan {
    const names = regions.map((region) => region.toUpperCase());
    return new CannotPlan(
      'REGION_WITHOUT_APP',
      `groups are in ${regions.length === 1 ? 'region' : 'regions'} ${regions.join(' and ')}, which ${
        regions.length === 1 ? 'has' : 'have'
      } no app: set ${names.map((name) => `ROLLCALL_${name}_APP_ID and ROLLCALL_${name}_API_KEY`).join(', ')}, and sync again`,
    );
  }

  static regionRefused(region: Region, code: string, message: string): CannotPlan {
    return new CannotPlan(
      'SERVICE_REFUSED',
      `region ${region} refuses every call (${code}: ${message.replace(/\.$/, '')}): mend its key or plan, check it with \`rollcall doctor\`, and sync again`,
    );
  }
}
