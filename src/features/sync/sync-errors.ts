import type { SyncEntry } from '../../api/sync-entry.ts';
import type { Words } from '../../errors/named-options.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { appSettings, withoutApp } from '../../imports/import-errors.ts';
import { actionsOf } from '../../membership/import-actions.ts';
import type { ImportState } from '../../membership/import-state.ts';
import type { Region } from '../../membership/membership.ts';
import type { SyncState } from '../../membership/sync-state.ts';
import { asClause } from '../../text/wording.ts';

/**
 * Reasons for the state of a sync, for programs; one may also be the code of the error that ended its planning.
 * docs/errors.md explains each.
 */
export const SYNC_REASON_CODES = [
  'GUARDS_OBJECT', // held
  'PLAN_OUTDATED', // stale: file or groups have changed too much
  'IMPORT_ENDED', // incomplete: its import was cancelled or aborted
  'CANCELLED', // cancelled: while it was planned
  'PLANNING_FAILED', // failed: an unexpected error
  'PROCESS_DIED', // under way: it waits; at last failed: the process ended again and again while it was planned
  'WRONG_TARGET', // under way: it waits for a process that sends where it belongs
  'DISK_FULL', // under way: it waits for room on the disk; failed: where no server waits
  'DATABASE_BUSY', // under way: it waits until no other program holds a file of the data directory
] as const;
export type SyncReasonCode = (typeof SYNC_REASON_CODES)[number];

/** There is no sync with this id. */
export class UnknownSync extends RollcallError {
  constructor(id: string) {
    super('UNKNOWN_SYNC', `no sync has the id ${JSON.stringify(id)}`, {
      remedy: '`rollcall sync list` shows those that there are',
      facts: { id },
    });
  }
}

/** Options that contradict each other, or that are not for syncs. */
export class BadSyncOption extends RollcallError {
  constructor(field: 'missing' | 'shape', what: string, remedy: Words) {
    super('BAD_USAGE', what, { remedy, facts: { field } });
  }
}

type RefusalCode = 'SYNC_HELD' | 'WRONG_STATE' | 'REASON_REQUIRED' | 'CANNOT_UNDO';

/** The sync's current state does not allow the request. The remedy is for the command line. */
export class SyncRefused extends RollcallError {
  declare readonly code: RefusalCode;

  private constructor(code: RefusalCode, what: string, facts: Readonly<Record<string, unknown>>, remedy?: string) {
    super(code, what, { remedy, facts });
  }

  /** @param possible the decisions that its state allows */
  static decision(
    { id, state, reason }: Pick<SyncEntry, 'id' | 'state' | 'reason'>,
    action: 'applied' | 'approved' | 'rejected',
    possible: readonly string[],
  ): SyncRefused {
    const { code, what, facts, remedy } =
      action === 'applied' && state === 'held'
        ? SyncRefused.held({ id, reason })
        : action === 'approved'
          ? SyncRefused.notHeld(id, state)
          : new SyncRefused('WRONG_STATE', `sync ${id} is ${state} and cannot be ${action}`, { id, state });
    return new SyncRefused(code, what, { ...facts, possible }, remedy);
  }

  static held({ id, reason }: Pick<SyncEntry, 'id' | 'reason'>): SyncRefused {
    const remedy = `look at it with \`rollcall sync show ${id}\`, and approve it with \`rollcall sync approve ${id} --reason "…"\``;
    return new SyncRefused('SYNC_HELD', `sync ${id} is held: ${asClause(reason)}`, { id, reason }, remedy);
  }

  static notHeld(id: string, state: SyncState): SyncRefused {
    const remedy = state === 'planned' ? `\`rollcall sync apply ${id}\` carries it out` : undefined;
    const what = `sync ${id} is ${state}; only a plan that a guard holds can be approved`;
    return new SyncRefused('WRONG_STATE', what, { id, state }, remedy);
  }

  /** It must stay on record who approved or rejected a plan, and why. */
  static reason(verb: 'approve' | 'reject', id: string): SyncRefused {
    const remedy = `say why: rollcall sync ${verb} ${id} --reason "…"`;
    return new SyncRefused('REASON_REQUIRED', `there is no reason to ${verb} sync ${id}`, { id, verb }, remedy);
  }

  static cancel(id: string, state: SyncState): SyncRefused {
    const remedy = state === 'applying' ? `its import is ended with \`rollcall cancel ${id}\`` : undefined;
    return new SyncRefused('WRONG_STATE', `sync ${id} is ${state}: there is nothing to cancel`, { id, state }, remedy);
  }

  static undo(importId: string, why: string): SyncRefused {
    return new SyncRefused('CANNOT_UNDO', `import ${importId} cannot be undone: ${why}`, { importId, why });
  }

  static undoUnfinished(importId: string, state: ImportState): SyncRefused {
    const { code, what, facts } = SyncRefused.undo(importId, 'it has not finished');
    const remedy = `finish it with \`rollcall resume ${importId}\`, or end it with \`rollcall cancel ${importId}\``;
    return new SyncRefused(code, what, { ...facts, possible: actionsOf(state, false) }, remedy);
  }
}

/** No plan can be made; nothing was sent. */
export class CannotPlan extends RollcallError {
  static noApp(regions: readonly Region[]): CannotPlan {
    const remedy = `${appSettings(regions)}, and sync again`;
    return new CannotPlan('REGION_WITHOUT_APP', `groups are in ${withoutApp(regions)}`, { remedy, facts: { regions } });
  }

  static regionRefused(region: Region, code: string, message: string): CannotPlan {
    if (code === 'SERVICE_AWAY') {
      return new CannotPlan(code, `region ${region}: ${asClause(message)}`, {
        remedy: 'sync again when `rollcall doctor` finds the service',
        facts: { region },
      });
    }
    return new CannotPlan('SERVICE_REFUSED', `region ${region} refuses every call (${code}: ${asClause(message)})`, {
      remedy: 'fix its key or plan, check it with `rollcall doctor`, and sync again',
      facts: { region, code },
    });
  }
}
