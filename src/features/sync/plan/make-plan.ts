import { existsSync } from 'node:fs';
import type { PlanFlags } from '../../../api/sync-entry.ts';
import { type PlanReason, REASONS } from '../../../membership/plan-reasons.ts';
import { attachForReading, type Statements, statementsOf } from '../../../platform/sqlite.ts';
import { grouped, sumOf } from '../../../text/wording.ts';
import { MEMORY_SCHEMA, type Remembered } from '../memory/memory.ts';
import { openPlanLedger, type PlanLedger, withAttached } from './plan-ledger.ts';
import { placeId } from './plan-reading.ts';

const PLANNING = new URL('make-plan.sql', import.meta.url);
const OUTSIDE = placeId('');
const BAN = placeId('ban');
/** A user's place before an import that keeps no record of it. */
const UNRECORDED = -1;

/** The basis of a plan, and the choices that decide it. */
export interface Decision {
  /** Path of the plan: it is begun, and its groups are listed. */
  readonly path: string;
  /** Its basis: the staged file at `from`, or the ledger of the import to undo. */
  readonly kind: 'file' | 'undo';
  readonly from: string;
  /** Ledgers of later imports, for an undo; of those that are not over, for an expiry. */
  readonly later?: readonly string[];
  readonly flags: PlanFlags;
  /** The memory of syncs with a name: its path, and JSON of region -> app. */
  readonly memory?: Pick<Remembered, 'memory' | 'apps'> | undefined;
  /** It is noted who may not exist. */
  readonly newcomers?: boolean;
}

/**
 * Makes the plan: one action for every user whom the staged file names or the service lists, in the groups that were listed; or for
 * everyone with whom the import did something that is undone. Replaces what was planned before, so that it may be made again when
 * owners have become known (`ownersNeeded`). make-plan.sql holds the decisions.
 */
export function makePlan(decision: Decision) {
  const { path, kind, from, flags, memory, later = [] } = decision;
  using plan = openPlanLedger(path);
  const { database } = plan;
  const sql = statementsOf(database, PLANNING);
  const isUndo = kind === 'undo';
  for (const step of ['open_cases', 'open_claimed', 'open_mine', 'open_shielded']) sql(step).run();
  for (const ledger of later) {
    // One that is being read has no ledger yet: its rows will add those whom it names.
    if (!isUndo && !existsSync(ledger)) continue;
    withAttached(database, ledger, 'later', () => sql('gather_claimed').run({ undo: isUndo ? 1 : 0 }));
  }
  const { syncName } = flags;
  let mine: Mine | undefined;
  if (syncName !== undefined && memory !== undefined && existsSync(memory.memory)) {
    attachForReading(database, memory.memory, 'memory', MEMORY_SCHEMA);
    mine = { sync: syncName, apps: memory.apps };
  }
  withAttached(database, from, isUndo ? 'undone' : 'desired', () => {
    const made = isUndo ? { ...flags, mode: 'undo', missing: 'report', allowDemotion: true } : flags;
    sql('set_flags').run({ flags: JSON.stringify(made), at: Date.now() });
    sql('forget_actions').run();
    for (const [reason, [action]] of Object.entries(REASONS)) sql('set_reason').run({ name: reason, action });
    if (isUndo) decideUndo(sql, flags);
    else decideSync(sql, decision, mine);
  });
  if (isUndo) return;
  const isForgetful = flags.whose === 'ours' && (mine === undefined || sql('remembers').get(mine) === undefined);
  plan.addNotes(ownershipNotes(plan, isForgetful));
}

/** Notes about whom the plan leaves as they are, because of who made them members. */
function ownershipNotes(plan: PlanLedger, isForgetful: boolean) {
  const reported = plan.reported();
  const notes = Object.entries(LEFT_ALONE).flatMap(([reason, text]) => {
    const users = sumOf(reported.map((one) => (one.reason === reason ? one.users : 0)));
    return users === 0 ? [] : [{ code: reason.toUpperCase(), text: `${text}: ${grouped(users)}` }];
  });
  if (!isForgetful) return notes;
  const text =
    'This sync remembers no one whom it made a member of these groups, so all of their members count as others’';
  return [{ code: 'NOTHING_REMEMBERED', text }, ...notes];
}

/** Reasons for which it is said how many users have them. */
const LEFT_ALONE = {
  not_ours: 'Members who are not in the file stay, because others made them members',
  left: 'Users who left or were removed since this sync made them members are kept out',
  changed_by_others: 'Members whom others have changed or banned stay as they are',
} satisfies Partial<Record<PlanReason, string>>;

/** The name of a sync with a memory, and its apps. */
type Mine = Pick<Remembered, 'sync' | 'apps'>;

function decideSync(sql: Statements, { flags, newcomers = false }: Decision, mine: Mine | undefined) {
  const now = Date.now();
  sql('gather_wanted').run({ outside: OUTSIDE, now });
  sql('gather_ended').run({ now });
  if (flags.mode !== 'expiry') for (const step of ['gather_contradicted', 'gather_unnamed']) sql(step).run();
  if (mine !== undefined) sql('gather_mine').run(mine);
  sql('decide_sync').run({
    mirror: flags.mode === 'add' ? 0 : 1,
    demotion: flags.allowDemotion ? 1 : 0,
    unban: flags.allowUnban ? 1 : 0,
    missing: flags.missing,
    whose: flags.whose,
    left: flags.left,
    changed: flags.changed,
    outside: OUTSIDE,
    admin: placeId('admin'),
    ban: BAN,
  });
  if (newcomers) for (const step of ['forget_newcomers', 'gather_newcomers', 'forget_known']) sql(step).run();
}

/**
 * `added` is removed, `changed` changed back, `removed` added again, each only where the live state is still as the import left
 * it. Users who were members already are not touched, nor are those whom a later import names.
 */
function decideUndo(sql: Statements, { allowUnban, includeUncertain }: PlanFlags) {
  const places = { outside: OUTSIDE, ban: BAN, unrecorded: UNRECORDED };
  sql('gather_undone').run(places);
  sql('decide_undo').run({ unban: allowUnban ? 1 : 0, uncertain: includeUncertain ? 1 : 0, ...places });
}
