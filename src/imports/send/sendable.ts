import type { Region } from '../../membership/membership.ts';
import { CreateWithoutName, RegionWithoutApp, WrongTarget } from '../import-errors.ts';
import { errorLimit, type ImportOptions } from '../import-options.ts';
import type { ReasonCode } from '../reason-codes.ts';
import { type ImportLedger, totalRows } from '../record/import-ledger.ts';
import { MOST_REMOVALS } from '../shaping-options.ts';

/** Whether an import may be sent: what is looked at before, and the bound on errors on the way. */

interface Sendable {
  readonly ledger: Pick<ImportLedger, 'regionsUsed' | 'tallies' | 'creating' | 'removals'>;
  readonly options: ImportOptions;
}

/** What a process sends to. */
interface Target {
  /** Regions that have an app. */
  readonly regions: ReadonlySet<Region>;
  readonly sandbox: boolean;
}

/** What keeps an import from being sent, in a sentence and for programs. */
interface Obstacle {
  readonly reason: string;
  readonly code: ReasonCode;
  readonly remedy?: string | undefined;
}

export function targetOf({ regions, sandbox }: Target) {
  /** Looks at what must be right before anything of an import is sent. @throws WrongTarget, RegionWithoutApp, CreateWithoutName */
  const check = (id: string, { ledger, options }: Sendable): void => {
    if (options.sandbox !== sandbox) throw new WrongTarget(`import ${id}`, options.sandbox);
    const missing = ledger.regionsUsed().filter((region) => !regions.has(region));
    if (missing.length > 0) throw new RegionWithoutApp(id, missing);
    const unnamed = options.create && ledger.creating?.obstacle(options.create);
    if (unnamed !== undefined) throw new CreateWithoutName(unnamed.what, unnamed.remedy);
  };
  return {
    check,
    /** Why a staged import is not sent by itself; undefined when it is. */
    obstacleOf: (id: string, sendable: Sendable): Obstacle | undefined => {
      if (sendable.options.dryRun) {
        return { reason: 'a dry run: read and checked, nothing was sent', code: 'DRY_RUN' };
      }
      try {
        check(id, sendable);
        return tooManyRemovals(id, sendable);
      } catch (error) {
        if (error instanceof WrongTarget || error instanceof RegionWithoutApp || error instanceof CreateWithoutName) {
          return { reason: error.what, code: error.code, remedy: error.remedy };
        }
        throw error;
      }
    },
  };
}

/** A file of changes that takes much away is looked at before it is sent: resuming it is the confirmation. */
function tooManyRemovals(id: string, { ledger, options: { shape, maxRemovals = MOST_REMOVALS } }: Sendable) {
  if (shape?.actions === undefined) return undefined;
  const removals = ledger.removals();
  if (removals <= maxRemovals) return undefined;
  const reason = `${removals} rows remove or ban members, and ${maxRemovals} are sent without asking: look at the report; if it is right, \`rollcall resume ${id}\` sends it`;
  return { reason, code: 'TOO_MANY_REMOVALS' as const };
}

/** What is said of an import that has more errors than it may; undefined while it has not. */
export function tooManyErrors({ ledger, options: { maxErrors } }: Sendable): string | undefined {
  if (maxErrors === undefined) return undefined;
  const rows = totalRows(ledger.tallies());
  const errors = rows.failed + rows.invalid + rows.unconfirmed;
  const limit = errorLimit({ maxErrors }, rows.read);
  return errors > limit ? `${errors} rows failed, are invalid or unconfirmed; --max-errors allows ${limit}` : undefined;
}
