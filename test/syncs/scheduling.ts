import { EventEmitter } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type ScheduleRun, scheduleSettings } from '../../src/features/schedule/operations.ts';
import {
  type GivenAt,
  type GivenSettings,
  settingsToKeep,
} from '../../src/features/schedule/routes/schedule-settings.ts';
import {
  openScheduleCatalog,
  type Schedule,
  type ScheduleCatalog,
} from '../../src/features/schedule/schedule-catalog.ts';
import {
  openScheduleRuns,
  type ScheduleRuns,
  type ScheduleRunsOptions,
} from '../../src/features/schedule/schedule-runs.ts';
import { begunSync, type NewSync, type Sync } from '../../src/features/sync/kept-sync.ts';
import type { SyncEvents } from '../../src/features/sync/run/sync-runner.ts';
import { openSyncCatalog, type SyncCatalog } from '../../src/features/sync/sync-catalog.ts';
import { openCatalog } from '../../src/imports/catalog.ts';
import type { OtherWait } from '../../src/imports/life/waits.ts';
import type { ImportState } from '../../src/membership/import-state.ts';
import type { RunState, SyncState } from '../../src/membership/sync-state.ts';
import { tempDir } from '../temp-dir.ts';
import { runOver } from './run-over.ts';

/** Syncs that end when a test says so; what a sync does has tests of its own. */
class Syncs {
  sendsTo = { sandbox: false };
  readonly events = new EventEmitter<SyncEvents>();
  readonly wanted: NewSync[] = [];

  /** Id of the first one that was wanted. */
  get first(): string {
    return this.wanted[0]?.id ?? '';
  }

  /** Syncs whose imports were ended because a newer run does what they left. */
  readonly replaced: string[] = [];
  /** The state that syncs come to at once; undefined: they go on until `end`. */
  comeTo: SyncState | undefined = 'applied';
  readonly #catalog: SyncCatalog;

  constructor(catalog: SyncCatalog) {
    this.#catalog = catalog;
  }

  create = async (request: NewSync): Promise<string> => {
    const id = request.id ?? '';
    this.wanted.push(request);
    this.end(id, 'planning');
    if (this.comeTo !== undefined) this.end(id, this.comeTo);
    return id;
  };

  find = (id: string): Sync => this.#catalog.get(id);

  replace = async (id: string): Promise<void> => {
    if (this.find(id).state !== 'applying') return;
    this.replaced.push(id);
    this.end(id, 'incomplete');
  };

  /** Callbacks that continue when their wait is over, with that wait. */
  readonly waiting: { readonly wait: OtherWait; readonly goOn: () => void }[] = [];

  whenOver = (wait: OtherWait, goOn: () => void): boolean => {
    this.waiting.push({ wait, goOn });
    return true;
  };

  readonly imports = new Map<string, ImportState>();

  importState = (id: string): ImportState | undefined => this.imports.get(id);

  /** The import of a sync moves. */
  move(id: string, state: ImportState): void {
    this.imports.set(id, state);
    this.events.emit('import', id, state);
  }

  end(id: string, state: SyncState): void {
    this.events.emit('state', this.#set(id, state));
  }

  #set(id: string, state: SyncState): Sync {
    const wanted = { id, file: '', source: '', limits: {}, apply: false, who: '' };
    const record: Sync = { ...begunSync(wanted, { sandbox: false }), state, reason: 'as the test wants' };
    this.#catalog.add(record);
    return record;
  }
}

type Changes = Partial<GivenSettings>;

const HERE: GivenAt = { isHere: true, sendsTo: { sandbox: false }, sources: [], namedSources: {}, defaultRegion: 'us' };

/** A data directory with schedules in it, whose clock a test moves. */
export interface Office {
  readonly root: string;
  readonly catalog: ScheduleCatalog;
  readonly syncs: Syncs;
  readonly environment: Record<string, string>;
  now: number;
  /** Sets the clock to a time such as 2027-03-28T01:30:00Z. */
  moveTo(time: string): void;
  /** Writes a file into the directory; gives its path. */
  file(name: string, content: string): string;
  add(changes?: Changes, name?: string): Promise<Schedule>;
  edit(changes: Changes, version: number): Promise<Schedule>;
  /** Runs the schedules like a process; it has stopped when the test is over. */
  runs(options?: Partial<ScheduleRunsOptions>): ScheduleRuns;
  /** Runs of `nightly`, oldest first: when they were due and what became of them. */
  history(): { due: string; state: RunState }[];
  last(): ScheduleRun | undefined;
}

export function openOffice(): Office {
  const root = tempDir();
  const path = join(root, 'catalog.sqlite');
  openCatalog(path).close();
  const catalog = openScheduleCatalog(path, () => office.now);
  const syncCatalog = openSyncCatalog(path);
  onTestFinished(() => {
    catalog.close();
    syncCatalog.close();
  });
  const dir = {
    memory: join(root, 'memberships.sqlite'),
    ledger: (id: string) => join(root, 'imports', id),
    schedule: (name: string) => join(root, 'schedules', name),
  };
  const syncs = new Syncs(syncCatalog);
  const environment: Record<string, string> = {};
  /** A schedule that applies what its file says, every night. */
  const given = (changes: Changes = {}): GivenSettings => {
    const file = changes.file ?? office.file('members.csv', 'guid,uid\ng1,ann\n');
    const plain = { cron: '30 2 * * *', tz: 'Europe/Rome', apply: true };
    return { ...scheduleSettings.parse({ ...plain, file }), ...changes };
  };
  const office: Office = {
    root,
    catalog,
    syncs,
    environment,
    now: Date.parse('2027-03-26T12:00:00Z'),
    moveTo: (time) => {
      office.now = Date.parse(time);
    },
    file: (name, content) => {
      const file = join(root, name);
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
    add: async (changes, name = 'nightly') => catalog.add(name, await settingsToKeep(given(changes), undefined, HERE)),
    edit: async (changes, version) =>
      catalog.edit('nightly', await settingsToKeep(given(changes), catalog.get('nightly'), HERE), version),
    runs: (options = {}) => {
      const runs = openScheduleRuns({
        catalog,
        sources: [],
        named: {},
        syncs,
        dir,
        patience: { giveUpAfter: undefined },
        ca: undefined,
        environment: (name) => environment[name],
        clock: () => office.now,
        fail: (error) => {
          throw error;
        },
        ...options,
      });
      onTestFinished(() => runs.stop());
      return runs;
    },
    history: () =>
      catalog
        .runs('nightly', 1_000)
        .toReversed()
        .map(({ dueAt, state }) => ({ due: dueAt.slice(0, 16), state })),
    last: () => catalog.runs('nightly', 1)[0],
  };
  return office;
}

/** Resolves when a run has ended, or waits for a person or for something else. */
export function runEnds({ catalog, syncs }: Office, runs: ScheduleRuns, id: number): Promise<ScheduleRun> {
  return runOver({ catalog, runs }, id, () => syncs.waiting.length > 0);
}

/** Resolves when no run is under way. */
export async function allOver(office: Office, runs: ScheduleRuns): Promise<void> {
  for (const { id } of office.catalog.runsIn('running')) await runEnds(office, runs, id);
}
