import type { ImportTotals } from '../../api/import-summary.ts';
import type { CircuitStatus } from '../../api/region-status.ts';
import type { Region } from '../../membership/membership.ts';
import { FULFILLED, type RowCounts, sumOfOutcomes } from '../../membership/outcome.ts';
import type { Config } from '../../platform/config.ts';
import { addressAdvice, noAnswerSince } from '../../text/no-answer.ts';
import { counted, utcTime } from '../../text/wording.ts';
import type { Catalog, ImportRecord } from '../catalog.ts';
import { type ImportOptions, readOptions } from '../import-options.ts';
import type { ReasonCode } from '../reason-codes.ts';
import { rowsOf } from '../record/counters.ts';
import { isSameTarget } from '../target.ts';
import type { GroupReader } from './group-reader.ts';
import type { OpenImport, OpenImports } from './open-imports.ts';

export const SERVICE_AWAY = 'SERVICE_AWAY' satisfies ReasonCode;

export type Patience = Pick<Config, 'giveUpAfter'>;

/** The time that something waits by its own options, else by the settings, else by itself. */
export function patienceOf(own: Partial<Patience>, all: Patience, byItself?: number): Patience {
  return { giveUpAfter: own.giveUpAfter ?? all.giveUpAfter ?? byItself };
}

interface GiveUpOptions {
  readonly imports: Pick<OpenImports, 'all'>;
  readonly groups: Pick<GroupReader, 'giveUp'>;
  readonly catalog: Pick<Catalog, 'list'>;
  readonly config: Patience;
}

/** The wait for an address at which no call has ever worked, and that something else answers or no host has, in ms. */
const WRONG_ADDRESS_MS = 45_000;
/** Imports that are looked at for whether a call has ever worked. */
const IMPORTS_BEFORE = 100;

/**
 * Lets imports wait for a person that have waited long enough for a service that does not answer: the region is stopped for
 * them, and their rows keep their attempts. Questions of people end with a refusal. To be called with each look at a region's circuit.
 */
export function giveUpOn({ imports, groups, catalog, config }: GiveUpOptions) {
  return (region: Region, circuit: CircuitStatus, now: number): void => {
    const { since, state, calls, message, lastAnswerAt } = circuit;
    if (state === 'closed' || since === null) return;
    const advice = addressAdvice(circuit);
    const details = [counted(calls, 'call'), message, advice].filter((part) => part !== '').join('; ');
    const stopped = { region, code: SERVICE_AWAY, message: `${noAnswerSince(circuit, utcTime(since))}: ${details}` };
    const awayMs = now - Date.parse(since);
    const mayBeWrong = advice !== '' && lastAnswerAt === null && awayMs >= WRONG_ADDRESS_MS;
    const limitOf = (asked = Number.POSITIVE_INFINITY, opened?: OpenImport) => {
      if (!mayBeWrong || asked <= WRONG_ADDRESS_MS) return asked;
      // What has worked comes back.
      const hasWorked =
        isAnswered(opened, region) || catalog.list(IMPORTS_BEFORE).some(workedIn(region, opened?.options));
      return hasWorked ? asked : WRONG_ADDRESS_MS;
    };
    groups.giveUp(stopped, awayMs, limitOf(config.giveUpAfter));
    for (const opened of imports.all.values()) {
      const { options, ledger, running, paused, runningSince } = opened;
      if (running === undefined || paused || running.isWithdrawing(region)) continue;
      // A resumed import waits for its full time again.
      const waitedMs = now - Math.max(Date.parse(since), runningSince);
      if (waitedMs < limitOf(patienceOf(options, config).giveUpAfter, opened)) continue;
      if (!ledger.openRegions().has(region)) continue;
      ledger.stopRegion(stopped);
      running.stopRegion(region);
    }
  };
}

function isAnswered(opened: OpenImport | undefined, region: Region): boolean {
  const counts = opened?.ledger.counters().get(region);
  return counts !== undefined && hasSuccess(rowsOf([counts]));
}

/** Whether a call has worked there for an import with the same target. */
function workedIn(region: Region, own: ImportOptions | undefined) {
  return (record: ImportRecord): boolean => {
    if (record.totals === null) return false;
    const { regions } = JSON.parse(record.totals) as ImportTotals;
    const rows = regions[region]?.rows;
    return rows !== undefined && hasSuccess(rows) && (own === undefined || isSameTarget(readOptions(record), own));
  };
}

function hasSuccess(rows: RowCounts): boolean {
  return sumOfOutcomes(rows, FULFILLED) > 0;
}
