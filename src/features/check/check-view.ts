import type { DataDir } from '../../platform/data-dir.ts';
import type { CheckView } from './api.ts';
import { type Checks, checkOf, checkSummaryOf } from './checks.ts';

/** The check of an import as it is shown; undefined if there is none. @param checks those that this process runs */
export async function checkView(
  dir: DataDir,
  id: string,
  checks?: Pick<Checks, 'isRunning' | 'progress'>,
): Promise<CheckView | undefined> {
  const folder = dir.folder(id);
  const record = checkOf(folder);
  if (record === undefined) return undefined;
  const { state, reason, calls, price } = record;
  return {
    importId: id,
    state,
    underWay: checks?.isRunning(id) ?? false,
    reason,
    calls,
    price: price === null ? null : { ...price },
    progress: checks?.progress(id) ?? null,
    summary: (await checkSummaryOf(folder)) ?? null,
  };
}
