import type { ImportSummary, Writes } from '../../api/import-summary.ts';
import type { ImportView } from '../../api/imports.ts';
import type { RegionStatus } from '../../api/region-status.ts';
import type { ProblemCount } from '../../api/rows.ts';
import type { TagChanges } from '../../api/tags.ts';
import type { ImportRecord } from '../../imports/catalog.ts';
import type { Verb } from '../../imports/life/control-socket.ts';
import type { ResumeChanges } from '../../imports/life/creating-step.ts';
import type { Counters } from '../../imports/record/import-ledger.ts';
import type { ReportRequest } from '../../imports/report/report-files.ts';
import type { FilterTexts } from '../flags/list-flags.ts';
import type { Io } from '../screen/io.ts';
import type { ProgressSource } from '../screen/show-progress.ts';
import type { Server } from './server-client.ts';

/** The imports that commands are about: those of a data directory (local-imports.ts), or of a server (remote-imports.ts). */
export interface Imports {
  /** The server that runs imports, for those who open what else is there. Undefined: this process, or another one on this machine. */
  readonly server: Server | undefined;
  /** Whether imports go on when no command runs. */
  readonly unattended: boolean;
  /** Completes "there are no imports …". */
  place(): string;
  /** Says before anything is sent where it goes; a process of this machine says so when it begins. */
  saySendsTo(io: Io): Promise<void>;
  /** Newest first. @throws NoImports where there are none at all */
  list(limit: number, filter?: FilterTexts): Promise<ListedImport[]>;
  /** Adds and removes tags. @throws UnknownImport, ServerRefused */
  tag(id: string, changes: TagChanges): Promise<{ readonly tags: readonly string[] }>;
  /** The import with this id, or the latest one. @throws NoImports, UnknownImport, ServerRefused */
  find(id: string | undefined): Promise<KeptImport>;
  /** The outcomes of an import so far. */
  findings(found: KeptImport): Promise<Findings>;
  /** The state of the regions; undefined where no process runs imports. */
  regions(): Promise<readonly RegionStatus[] | undefined>;
  /** Asks the process that runs imports; undefined where there is none. @throws ControlRefused, ServerRefused */
  act(id: string, verb: Verb, changes?: ResumeChanges): Promise<Pick<ImportRecord, 'state' | 'reason'> | undefined>;
  /** For polling one import. */
  watch(id: string): Watched;
  /** A report in pieces, made as they are taken. @throws UsageError, ServerRefused where there are no rows */
  report(
    found: KeptImport,
    request: Pick<ReportRequest, 'form' | 'filter'>,
  ): Promise<AsyncIterable<string | Uint8Array>>;
  /** A command that the user can type, with what leads it to these imports. */
  command(...words: readonly string[]): string;
  /** The folder of an import, for a person to look into. */
  folder(id: string): string;
  /** Reports of a finished import, by purpose. */
  files(summary: ImportSummary): readonly (readonly [what: string, where: string])[];
}

/** An import in a list: its outcomes, and where it comes from. */
export type ListedImport = ImportSummary & Pick<ImportView, 'createdAt' | 'createdBy' | 'kind' | 'tags'>;

export interface KeptImport extends Pick<ImportRecord, 'id' | 'state' | 'reason'> {
  /** A ReasonCode; a newer server may have others. */
  readonly code: string | null;
  /** Whether the commands that continue it need `--sandbox`. */
  readonly sandbox: boolean;
  /** The option that `resume` needs, where it waits for one. */
  readonly maxCreate?: string | undefined;
  readonly maxRemovals?: string | undefined;
  /** Its file says what to add, change or remove. */
  readonly fileOfChanges: boolean;
  /** The delivery of its reports. */
  readonly delivery: ImportView['delivery'];
}

export interface Findings {
  readonly summary: ImportSummary;
  readonly problems: readonly ProblemCount[];
}

/** The imports of a server, for what has some made there. */
export interface RemoteOptions {
  readonly io: Io;
  readonly imports: Imports;
  readonly server: Server;
  readonly json: boolean;
}

interface Watched {
  look(): Promise<Look>;
  /** Time without a process or an answer from the server before the user is notified, in ms. */
  readonly patienceMs: number;
  close(): void;
}

/** An import at one moment. */
export interface Look {
  readonly state: ImportRecord['state'];
  /** Undefined before the input is read. */
  readonly counters: Counters | undefined;
  /** Messages that it writes into groups; absent where it is not known, or not needed. */
  readonly writes?: Writes | undefined;
  readonly staging: ReturnType<ProgressSource['staging']>;
  /** Undefined where no process runs it. */
  readonly regions: readonly RegionStatus[] | undefined;
}
