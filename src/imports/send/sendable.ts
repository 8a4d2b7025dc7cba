import type { Region } from '../../membership/membership.ts';
import { option, type Words, words } from '../../text/named-options.ts';
import { CreateWithoutName, RegionWithoutApp, TooManyRemovals, WrongTarget } from '../import-errors.ts';
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
  readonly remedy?: Words | undefined;
}

export function targetOf({ regions, sandbox }: Target) {
  /** Looks at what must be right before anything of an import is sent. @throws WrongTarget, RegionWithoutApp, CreateWithoutName, TooManyRemovals */
  const check = (id: string, { ledger, options }: Sendable): void => {
    if (options.sandbox !== sandbox) throw new WrongTarget(`import ${id}`, options.sandbox);
    const missing = ledger.regionsUsed().filter((region) => !regions.has(region));
    if (missing.length > 0) throw new RegionWithoutApp(id, missing);
    const unnamed = options.create && ledger.creating?.obstacle(options.create);
    if (unnamed !== undefined) throw new CreateWithoutName(unnamed.what, unnamed.remedy);
    const { shape, maxRemovals = MOST_REMOVALS } = options;
    const removals = shape?.actions === undefined ? 0 : ledger.removals();
    if (removals > maxRemovals) throw new TooManyRemovals(id, removals, maxRemovals);
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
        return undefined;
      } catch (error) {
        if (error instanceof TooManyRemovals) {
          const confirm = words`Look at the report; if it is right, resume it with ${option('maxRemovals', String(error.removals))}`;
          return { reason: error.what, code: error.code, remedy: confirm };
        }
        if (error instanceof WrongTarget || error instanceof RegionWithoutApp || error instanceof CreateWithoutName) {
          return { reason: error.what, code: error.code, remedy: error.remedy };
        }
        throw error;
      }
    },
  };
}

/** What is said of an import that has more errors than it may; undefined while it has not. */
export function tooManyErrors({ ledger, options: { maxErrors } }: Sendable): string | undefined {
  if (maxErrors === undefined) return undefined;
  const rows = totalRows(ledger.tallies());
  const errors = rows.failed + rows.invalid + rows.unconfirmed;
  const limit = errorLimit({ maxErrors }, rows.read);
  return errors > limit ? `${errors} rows failed, are invalid or unconfirmed; --max-errors allows ${limit}` : undefined;
}
