import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { readOptions } from '../../imports/import-options.ts';
import type { Coordinator } from '../../imports/life/coordinator.ts';
import { reportPaths, retryFile } from '../../imports/report/report-paths.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { SourceContext } from '../../sources/named.ts';

/** The files of an import that is over, the summary last: where it is, all are. */
function filesOf(folder: string): string[] {
  const { all, failed, summary } = reportPaths(folder, 'csv');
  return [all, failed, retryFile(folder), summary].filter((path) => path !== undefined && existsSync(path)) as string[];
}

/**
 * Writes the reports of an import where its options say. False where there is nothing to write.
 * @throws SourceError, UnknownImport; the signal's reason when aborted
 */
export async function deliverReports(
  { coordinator, dir, context }: { coordinator: Coordinator; dir: DataDir; context: () => SourceContext },
  id: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { reportTo } = readOptions(coordinator.find(id));
  const files = filesOf(dir.folder(id));
  if (reportTo === undefined || files.length === 0) return false;
  // Loaded for those alone who need it.
  const { writeTo } = await import('../../sources/write.ts');
  for (const file of files) await writeTo(reportTo, `${id}/${basename(file)}`, file, context(), signal);
  return true;
}
