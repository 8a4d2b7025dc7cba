import { existsSync } from 'node:fs';
import { askRegions } from '../../../imports/life/control-socket.ts';
import { checkFiles } from '../../../imports/predictions/check-paths.ts';
import type { Config } from '../../../platform/config.ts';
import { dataDir } from '../../../platform/data-dir.ts';
import type { CheckSummary } from '../api.ts';
import type { CheckRecord } from '../check-ledger.ts';

/** The check of an import. */
export interface Checked {
  readonly record: Pick<CheckRecord, 'state' | 'reason' | 'calls'>;
  /** Undefined until it has finished. */
  readonly summary: CheckSummary | undefined;
  /** The files with every row and every group. */
  readonly files: readonly string[];
  /** A process is asking. */
  readonly underWay: boolean;
}

/** Reads the check of an import of this machine; returns undefined if there is none. */
export async function checkedLocally(config: Pick<Config, 'dataDir'>, id: string): Promise<Checked | undefined> {
  const dir = dataDir(config.dataDir);
  const folder = dir.folder(id);
  const { check, rows, groups } = checkFiles(folder);
  if (!existsSync(check)) return undefined;
  // Loaded here: most imports are not checked.
  const { checkOf, checkSummaryOf } = await import('../checks.ts');
  const record = checkOf(folder);
  if (record === undefined) return undefined;
  const underWay = record.state === 'running' && (await askRegions(dir)) !== undefined;
  return { record, summary: await checkSummaryOf(folder), files: [rows, groups], underWay };
}
