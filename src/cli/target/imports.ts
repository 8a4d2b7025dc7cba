import type { ImportSummary } from '../../api/import-summary.ts';
import type { RegionStatus } from '../../api/regions.ts';
import type { ProblemCount } from '../../api/rows.ts';
import type { ImportRecord } from '../../imports/catalog.ts';
import type { Verb } from '../../imports/life/control.ts';
import type { ResumeChanges } from '../../imports/life/creating-step.ts';
import type { Tallies } from '../../imports/record/import-ledger.ts';
import type { ReportWish } from '../../imports/report/report-text.ts';
import type { ProgressSource } from '../screen/progress.ts';
import type { Server } from './server-client.ts';

/** The imports that commands are about: those of a data directory (local-imports.ts), or of a server (remote-imports.ts). */
export interface Imports {
  /** Where imports are run; undefined: by this process, or another one on this machine. */
  readonly server: Server | undefined;
  /** Newest first. */
  list(limit: number): Promise<ImportSummary[]>;
  /** The import with this id, or the latest one. @throws NoImports, UnknownImport, ServerRefused */
  find(id: string | undefined): Promise<KeptImport>;
  /** What an import has come to so far. */
  findings(found: KeptImport): Promise<Findings>;
  /** What the regions are doing; undefined where no process runs imports. */
  regions(): Promise<readonly RegionStatus[] | undefined>;
  /** Asks whoever runs imports; undefined where nobody does. @throws ControlRefused, ServerRefused */
  act(id: string, verb: Verb, changes?: ResumeChanges): Promise<Pick<ImportRecord, 'state' | 'reason'> | undefined>;
  /** For looking at one import again and again. */
  watch(id: string): Watched;
  /** A report in pieces, made as they are taken. @throws UsageError, ServerRefused where there are no rows */
  report(found: KeptImport, wish: Pick<ReportWish, 'form' | 'statuses'>): Promise<AsyncIterable<string | Uint8Array>>;
  /** What the user types to do this with an import, or with all. */
  command(verb: string, id?: string): string;
  /** The folder of an import, for a person to look into. */
  folder(id: string): string;
  /** Reports of an import that is over, by what they are for. */
  files(summary: ImportSummary): readonly (readonly [what: string, where: string])[];
}

export interface KeptImport extends Pick<ImportRecord, 'id' | 'state' | 'reason'> {
  /** A ReasonCode; a newer server may have others. */
  readonly code: string | null;
  /** Whether the commands that go on with it need `--sandbox`. */
  readonly sandbox: boolean;
}

export interface Findings {
  readonly summary: ImportSummary;
  readonly problems: readonly ProblemCount[];
}

interface Watched {
  look(): Promise<Look>;
  /** How long nobody may run it, or the server not answer, until that is told, in ms. */
  readonly patienceMs: number;
  close(): void;
}

/** An import at one moment. */
export interface Look {
  readonly state: ImportRecord['state'];
  /** Undefined before the input is read. */
  readonly tallies: Tallies | undefined;
  readonly staging: ReturnType<ProgressSource['staging']>;
  /** Undefined where nobody runs it. */
  readonly regions: readonly RegionStatus[] | undefined;
}
