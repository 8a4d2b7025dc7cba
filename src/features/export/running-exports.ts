import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../errors/message-of.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import type { GroupPages } from '../../imports/ask/group-pages.ts';
import { newImportId } from '../../imports/import-id.ts';
import type { SurveyProgress } from '../../imports/survey/crawl.ts';
import { type Aimed, checkTarget } from '../../imports/target.ts';
import type { Region } from '../../membership/membership.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { Works } from '../../platform/works.ts';
import type { ExportOptions } from './api.ts';
import {
  createExportStore,
  type ExportReader,
  type ExportStore,
  exportFile,
  openExportReader,
  openExportStore,
} from './export-store.ts';
import { runExport } from './run-export.ts';

/** Exports in the background; they share each region's rate limit with everything else. For the owner of the data directory. */
export interface Exports {
  /** Begins to read; gives the id. @param maxCalls that this run may make */
  begin(options: Omit<ExportOptions, keyof Aimed>, maxCalls?: number): string;
  /** Continues one that was interrupted, stopped, or is priced. @throws UNKNOWN_EXPORT, WRONG_TARGET */
  resume(id: string, maxCalls?: number): void;
  /** Newest first. */
  ids(): string[];
  /** @throws UNKNOWN_EXPORT */
  read<Result>(id: string, look: (reader: ExportReader) => Result): Result;
  /** The reader must be closed. @throws UNKNOWN_EXPORT */
  open(id: string): ExportReader;
  isUnderWay(id: string): boolean;
  progress(id: string): SurveyProgress | undefined;
  /** Resolves when it is no longer under way. */
  over(id: string): Promise<void>;
  /** Stops it if it is running, and deletes its files. @throws UNKNOWN_EXPORT */
  remove(id: string): Promise<void>;
  /** Stops running exports; they can continue later. */
  stop(): Promise<void>;
}

interface ExportsOptions extends Aimed {
  readonly dir: DataDir;
  readonly pages: (region: Region) => GroupPages;
  readonly onError: (id: string, error: unknown) => void;
}

export function createExports({ dir, pages, sandbox, target, onError }: ExportsOptions): Exports {
  const works = new Works<SurveyProgress>();
  const run = (id: string, store: ExportStore, maxCalls: number | undefined): void => {
    const ended = works.begin(id, async (signal, onProgress) => {
      try {
        await runExport({ store, pages, signal, maxCalls, onProgress });
      } catch (error) {
        signal.throwIfAborted();
        onError(id, error);
        store.survey.move('stopped', messageOf(error));
      } finally {
        store.close();
      }
    });
    // Such as where the disk is full: it can be continued, as after a crash.
    ended.catch((error: unknown) => onError(id, error));
  };
  // An id from a URL must not lead out of the folder.
  const isKnown = (id: string) => /^export-[\w-]+$/.test(id) && existsSync(exportFile(dir.export(id)));
  const open = (id: string): ExportReader => {
    if (!isKnown(id)) throw new RollcallError('UNKNOWN_EXPORT', { id });
    return openExportReader(dir.export(id), id);
  };
  const read: Exports['read'] = (id, look) => {
    const reader = open(id);
    try {
      return look(reader);
    } finally {
      reader.close();
    }
  };

  return {
    begin: (options, maxCalls) => {
      const id = `export-${newImportId()}`;
      mkdirSync(dir.export(id), { recursive: true, mode: 0o700 });
      run(id, createExportStore(dir.export(id), { ...options, sandbox, target }), maxCalls);
      return id;
    },
    resume: (id, maxCalls) => {
      const { options } = read(id, (reader) => reader.record());
      checkTarget(id, options, { sandbox, target });
      if (!works.isUnderWay(id)) run(id, openExportStore(dir.export(id), id), maxCalls);
    },
    ids: () => {
      const folder = join(dir.root, 'exports');
      const names = existsSync(folder) ? readdirSync(folder) : [];
      return names
        .filter((id) => existsSync(exportFile(dir.export(id))))
        .toSorted()
        .reverse();
    },
    read,
    open,
    isUnderWay: (id) => works.isUnderWay(id),
    progress: (id) => works.progress(id),
    over: (id) => works.over(id).catch(() => {}),
    remove: async (id) => {
      // One that cannot be read can be deleted.
      if (!isKnown(id)) throw new RollcallError('UNKNOWN_EXPORT', { id });
      await works.end(id, 'the export was ended');
      await rm(dir.export(id), { recursive: true, force: true });
    },
    stop: () => works.stop(),
  };
}
