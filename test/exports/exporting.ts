import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  createExportStore,
  type ExportReader,
  exportText,
  openExportStore,
} from '../../src/features/export/export-store.ts';
import {
  type ExportFormat,
  type ExportList,
  type ExportOptions,
  exportOptions,
} from '../../src/features/export/operations.ts';
import { runExport } from '../../src/features/export/running-exports.ts';
import type { SurveyProgress } from '../../src/imports/survey/crawl.ts';
import type { Pipeline } from '../imports/pipeline-harness.ts';
import { tempDir } from '../temp-dir.ts';

export interface Exporting {
  /** Reads, or goes on reading, to the end or until the signal; gives what it rejects with. */
  run(signal?: AbortSignal, onProgress?: (progress: SurveyProgress) => void, maxCalls?: number): Promise<unknown>;
  read<Result>(look: (reader: ExportReader) => Result): Result;
  text(list?: ExportList, format?: ExportFormat): string;
  /** Members as `guid uid scope`. */
  members(): string[];
}

/** An export over a pipeline's workers, in a folder of its own. */
export function openExport(
  { coordinator }: Pick<Pipeline, 'coordinator'>,
  options: Partial<ExportOptions> = {},
): Exporting {
  const folder = join(tempDir(), 'export-1');
  mkdirSync(folder);
  createExportStore(folder, exportOptions.parse({ regions: ['us'], ...options })).close();
  const withStore = <Result>(use: (store: ReturnType<typeof openExportStore>) => Result): Result => {
    const store = openExportStore(folder);
    try {
      return use(store);
    } finally {
      store.close();
    }
  };
  const exporting: Exporting = {
    run: async (signal = new AbortController().signal, onProgress = () => {}, maxCalls = undefined) => {
      const store = openExportStore(folder);
      try {
        await runExport({ store, pages: (...which) => coordinator.pages(...which), signal, onProgress, maxCalls });
        return undefined;
      } catch (error) {
        return error;
      } finally {
        store.close();
      }
    },
    read: withStore,
    text: (list = 'members', format = 'csv') => withStore((store) => [...exportText(store, list, format)].join('')),
    members: () =>
      withStore((store) =>
        store
          .rows('members')
          .map((row) => ['guid', 'uid', 'scope'].map((field) => Reflect.get(row, field)).join(' '))
          .toArray(),
      ),
  };
  return exporting;
}
