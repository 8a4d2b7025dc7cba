import type { SurveyProgress } from '../../imports/survey/crawl.ts';
import type { ExportView } from './api.ts';
import { listsOf } from './export-files.ts';
import type { ExportReader } from './export-store.ts';

/** An export as the API and the command line show it. @param progress of one that is under way */
export function exportView(
  id: string,
  reader: ExportReader,
  underWay: boolean,
  progress: SurveyProgress | undefined,
): ExportView {
  const { options, createdAt, finishedAt, state, reason, calls, price } = reader.record();
  const { groups, regions, sandbox, target } = options;
  return {
    id,
    underWay,
    state,
    reason,
    calls,
    price,
    regions: [...regions],
    groups: groups?.length ?? null,
    lists: listsOf(options),
    sandbox,
    ...(target !== undefined && { target }),
    createdAt: new Date(createdAt).toISOString(),
    finishedAt: finishedAt === null ? null : new Date(finishedAt).toISOString(),
    progress: progress ?? null,
    // Counting a large export takes a while.
    totals: underWay ? null : reader.totals(),
  };
}
