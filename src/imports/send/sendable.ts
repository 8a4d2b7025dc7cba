import type { Words } from '../../errors/named-options.ts';
import { isError, RollcallError } from '../../errors/rollcall-error.ts';
import type { Region } from '../../membership/membership.ts';
import { MAX_REMOVALS } from '../../options/sending-options.ts';
import { counted, grouped } from '../../text/wording.ts';
import type { ImportOptions } from '../import-options.ts';
import type { ReasonCode } from '../reason-codes.ts';
import { totalRows } from '../record/counters.ts';
import type { ImportLedger } from '../record/import-ledger.ts';
import { type Aimed, checkTarget } from '../target.ts';

/** Whether an import may be sent: what is checked before, and the bound on errors while it is sent. */

interface Sendable {
  readonly ledger: Pick<ImportLedger, 'regionsUsed' | 'counters' | 'creating' | 'removals'>;
  readonly options: ImportOptions;
}

interface SendsTo extends Aimed {
  /** Regions that have an app. */
  readonly regions: ReadonlySet<Region>;
}

/** A reason why an import is not sent. */
interface Obstacle {
  readonly reason: string;
  readonly code: ReasonCode;
  readonly remedy?: Words | undefined;
}

export function targetOf({ regions, ...sendsTo }: SendsTo) {
  /** Checks what must be right before anything of an import is sent. @throws WRONG_TARGET, REGION_WITHOUT_APP, CREATE_WITHOUT_NAME, TOO_MANY_REMOVALS */
  const check = (id: string, { ledger, options }: Sendable): void => {
    checkTarget(`import ${id}`, options, sendsTo);
    const missing = ledger.regionsUsed().filter((region) => !regions.has(region));
    if (missing.length > 0) throw new RollcallError('REGION_WITHOUT_APP', { id, regions: missing, of: 'rows' });
    ledger.creating?.requireNames();
    const { shape, maxRemovals = MAX_REMOVALS } = options;
    const removals = shape?.actions === undefined ? 0 : ledger.removals();
    if (removals > maxRemovals) throw new RollcallError('TOO_MANY_REMOVALS', { id, removals, allowed: maxRemovals });
  };
  return {
    check,
    /** Returns the reason why a staged import needs a person before it is sent; undefined if it does not. */
    obstacleOf: (id: string, sendable: Sendable): Obstacle | undefined => {
      if (sendable.options.dryRun) {
        return { reason: 'a dry run: read and checked, nothing was sent', code: 'DRY_RUN' };
      }
      if (sendable.options.askFirst === true) {
        return { reason: 'it waits for your agreement: read and checked, nothing was sent', code: 'AWAITS_AGREEMENT' };
      }
      try {
        check(id, sendable);
        return undefined;
      } catch (error) {
        if (!isError(error, 'WRONG_TARGET', 'REGION_WITHOUT_APP', 'CREATE_WITHOUT_NAME', 'TOO_MANY_REMOVALS'))
          throw error;
        return { reason: error.what, code: error.code, remedy: error.remedyOn('command') };
      }
    },
  };
}

/** Most rows that may fail, be invalid or unconfirmed before an import of `read` rows is aborted. */
export function errorLimit(most: NonNullable<ImportOptions['maxErrors']>, read: number): number {
  return 'rows' in most ? most.rows : Math.floor((read * most.percent) / 100);
}

/** The reason to abort an import that has more errors than allowed; undefined while it has not. */
export function tooManyErrors({ ledger, options: { maxErrors } }: Sendable): string | undefined {
  if (maxErrors === undefined) return undefined;
  const rows = totalRows(ledger.counters());
  const errors = rows.failed + rows.invalid + rows.unconfirmed;
  const limit = errorLimit(maxErrors, rows.read);
  return errors > limit
    ? `${counted(errors, 'row')} failed, are invalid or unconfirmed; at most ${grouped(limit)} may be`
    : undefined;
}
