import type { ImportView } from '../../api/imports.ts';
import type { RegionStatus } from '../../api/region-status.ts';
import type { ProblemCount } from '../../api/rows.ts';
import type { TagChanges } from '../../api/tags.ts';
import type { ResumeChanges } from '../../imports/life/creating-step.ts';
import type { ReportRequest } from '../../imports/report/report-files.ts';
import type { ReportFormat } from '../../options/row-filter.ts';
import type { FilterTexts } from '../flags/list-flags.ts';
import type { Io } from '../screen/io.ts';
import { NoImports } from './kept-imports.ts';
import type { Server } from './server-client.ts';

/**
 * The place of imports: a data directory (data-directory.ts), which is read without the schemas of the API, or a server
 * (server-place.ts).
 */
export interface Place {
  /** The server that runs imports. Undefined: this process, or another one on this machine. */
  readonly server: Server | undefined;
  /** Completes "there are no imports …". */
  place(): string;
  /** A command that the user can type, with what leads it to these imports. */
  command(...words: readonly string[]): string;
  /** The folder of an import, for a person to look into. */
  folder(id: string): string;
  /** Reports of a finished import, by purpose. */
  files(found: Pick<ImportView, 'id' | 'reports'>): Files;
  /** Says before anything is sent where it goes; a process of this machine says so when it begins. */
  saySendsTo(io: Io): Promise<void>;
  /** The newest that pass the filter, newest first; reports are paths or whole addresses. */
  newest(limit: number, filter: FilterTexts): Promise<readonly ImportView[]>;
  /** `sandbox`: whether the commands that continue it need `--sandbox`. @throws UnknownImport, ServerRefused */
  one(id: string): Promise<ImportView>;
  /** Its rows that need attention, by outcome and code. */
  problems(id: string): Promise<readonly ProblemCount[]>;
  /** A report in pieces, made as they are taken. @throws UsageError, ServerRefused where there are no rows */
  report(
    id: string,
    request: Pick<ReportRequest, 'filter'> & { readonly form: ReportFormat | 'retry' },
  ): Promise<AsyncIterable<string | Uint8Array>>;
  /** Adds and removes tags. @throws UnknownImport, ServerRefused */
  tag(id: string, changes: TagChanges): Promise<void>;
  /** Events of an import that this process runs. Undefined: another process, or a server, runs imports. */
  readonly movesOf?: (id: string) => Moves;
  /** The state of the regions; undefined where no process runs imports. */
  regions(): Promise<readonly RegionStatus[] | undefined>;
  /** Asks the process that runs imports; undefined where there is none. @throws RollcallError as it refuses */
  act(
    id: string,
    verb: 'pause' | 'resume' | 'cancel',
    changes?: ResumeChanges,
  ): Promise<Pick<ImportView, 'state' | 'reason'> | undefined>;
}

interface Moves {
  /** Returns what ends the listening. */
  onMove(move: () => void): () => void;
  /** Whether nothing more happens to it by itself. */
  isOver(): boolean;
}

/** Places of files; null for one that was not written. */
export type Files = readonly (readonly [what: string, where: string | null])[];

/** The imports that commands are about. */
export interface Imports extends Place {
  /** Whether imports go on when no command runs. */
  readonly unattended: boolean;
  /** Newest first. @throws NoImports where there are none at all */
  list(limit: number, filter?: FilterTexts): Promise<readonly ImportView[]>;
  /** The import with this id, or the latest one. @throws NoImports, UnknownImport, ServerRefused */
  find(id: string | undefined): Promise<ImportView>;
}

/** The imports of a server, for what has some made there. */
export interface RemoteOptions {
  readonly io: Io;
  readonly imports: Imports;
  readonly server: Server;
  readonly json: boolean;
}

export function importsIn(place: Place): Imports {
  const noImports = () =>
    new NoImports(place.place(), place.server === undefined ? 'directory with --data-dir' : 'server with --server');
  return {
    ...place,
    unattended: place.server !== undefined,
    list: async (limit, filter = {}) => {
      const found = await place.newest(limit, filter);
      if (found.length === 0 && Object.keys(filter).length === 0) throw noImports();
      return found;
    },
    find: async (id) => {
      if (id !== undefined) return place.one(id);
      const [latest] = await place.newest(1, {});
      if (latest === undefined) throw noImports();
      return latest;
    },
  };
}
