import type { ExportView } from './api.ts';
import { listsOf } from './export-files.ts';
import type { ExportReader } from './export-store.ts';
import type { ExportProgress } from './run-export.ts';

/** An export as the API and the command line show it. @param progress of one that is under way */
export function exportView(
  id: string,
  reader: ExportReader,
  underWay: boolean,
  progress: ExportProgress | undefined,
): ExportView {
  const { options, createdAt, finishedAt, ...record } = reader.record();
  const { groups, regions, sandbox, target } = options;
  return {
    id,
    underWay,
    ...record,
    regions: [...regions],
    groups: groups?.length ?? null,
    lists: listsOf(options),
    sandbox,
    ...(target !== undefined && { target }),
    createdAt: new Date(createdAt).toISOString(),
    finishedAt: finishedAt === null ? null : new Date(finishedAt).toISOString(),
    progress: progressOf(progress),
    // Counting a large export takes a while.
    totals: underWay ? null : reader.totals(),
  };
}

function progressOf(progress: ExportProgress | undefined): ExportView['progress'] {
  if (progress === undefined) return null;
  if (progress.step === 'members') return { step: 'members', done: progress.done, of: progress.groups };
  return { step: progress.step, done: progress.entries, of: null };
}
