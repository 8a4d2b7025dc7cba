import type { CircuitStatus } from '../../api/region-status.ts';
import type { Region } from '../../membership/membership.ts';
import type { Config } from '../../platform/config.ts';
import { counted, utcTime } from '../../text/wording.ts';
import type { ReasonCode } from '../reason-codes.ts';
import type { GroupReader } from './group-reader.ts';
import type { OpenImports } from './open-imports.ts';

export const SERVICE_AWAY = 'SERVICE_AWAY' satisfies ReasonCode;

/** Settings of sending, for imports that do not say it themselves. */
export type SendingConfig = Pick<Config, 'giveUpAfterMs'>;

interface GiveUpOptions {
  readonly imports: Pick<OpenImports, 'all'>;
  readonly groups: Pick<GroupReader, 'giveUp'>;
  readonly config: SendingConfig;
}

/**
 * Lets imports wait for a person that have waited long enough for a service that does not answer: the region is stopped for
 * them, and their rows keep their attempts. Questions of people end with a refusal. To be called with each look at a region's circuit.
 */
export function giveUpOn({ imports, groups, config }: GiveUpOptions) {
  return (region: Region, { since, state, calls, code, message }: CircuitStatus, now: number): void => {
    if (state === 'closed' || since === null) return;
    const last = message === '' ? code : `${code}: ${message}`;
    const said = `the service has not answered since ${utcTime(since)} (${counted(calls, 'call')}, the last one: ${last})`;
    const stopped = { region, code: SERVICE_AWAY, message: said };
    groups.giveUp(stopped, now - Date.parse(since), config.giveUpAfterMs);
    for (const { options, ledger, running, paused, runningSince } of imports.all.values()) {
      const limit = options.giveUpAfterMs ?? config.giveUpAfterMs;
      if (limit === undefined || running === undefined || paused || running.isWithdrawing(region)) continue;
      // A resumed import waits for its full time again.
      if (now - Math.max(Date.parse(since), runningSince) < limit) continue;
      if (!ledger.openBatches().has(region)) continue;
      ledger.stopRegion(stopped);
      running.stopRegion(region);
    }
  };
}
