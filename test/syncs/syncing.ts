import { join } from 'node:path';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { PlanFlags } from '../../src/api/sync-entry.ts';
import { composeSyncs, type SyncProcess } from '../../src/features/sync/compose-syncs.ts';
import type { NewSync, Sync } from '../../src/features/sync/kept-sync.ts';
import { planFiles } from '../../src/features/sync/plan/plan-files.ts';
import { openPlanReader, type PlanReader } from '../../src/features/sync/plan/plan-reading.ts';
import type { SyncRunner } from '../../src/features/sync/run/sync-runner.ts';
import { REGIONS, type Region } from '../../src/membership/membership.ts';
import type { Place } from '../../src/membership/plan-reasons.ts';
import { CHANGES } from '../../src/membership/plan-words.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import type { SeedDocument } from '../../src/sandbox/seed.ts';
import { EMBEDDED, openPipeline, type Pipeline, type StartOptions } from '../imports/pipeline-harness.ts';
import { SHARED_READING } from '../imports/shared-reading.ts';
import { writeSettled } from '../settled-file.ts';
import { tempDir } from '../temp-dir.ts';
import { syncSettled } from './sync-settled.ts';

/** Syncs against a sandbox: planned and carried out by a coordinator with workers of its own. */
export interface Syncing extends Pipeline {
  readonly syncs: SyncRunner;
  /** Writes the file, as the one that every sync reads. */
  file(content: string): string;
  /** Writes a file under another name, for a sync that has nothing to do with the others. */
  otherFile(content: string, name?: string): string;
  /** Returns the request of `sync`. */
  request(content: string, flags?: Partial<PlanFlags>, more?: Partial<NewSync>): NewSync;
  /** Syncs with a file of this content, and waits until nothing more happens by itself. */
  sync(content: string, flags?: Partial<PlanFlags>, more?: Partial<NewSync>): Promise<Sync>;
  /** Everyone in a group, as a plain object. */
  members(guid: string, region?: Region): Record<string, Place>;
  /** Reads a sync's plan. */
  plan<Result>(id: string, read: (plan: PlanReader) => Result): Result;
  /** Returns the changes that a plan would send, as "guid uid: action from>to". */
  changes(id: string): string[];
  stop(): Promise<void>;
  restart(options?: StartOptions): Promise<void>;
}

export type Seed = NonNullable<NonNullable<NonNullable<SeedDocument['regions']>['us']>['members']>;

/** A process whose syncs no one follows; they stop when the test is over. */
export function processOf(
  { coordinator, dir, failures }: Pick<Pipeline, 'coordinator' | 'dir' | 'failures'>,
  apps: SyncProcess['service']['apps'],
): SyncProcess {
  return {
    coordinator,
    dir,
    service: { apps },
    log: pino({ enabled: false }),
    events: { tell: () => {}, progressed: () => () => {} },
    onStop: (stop) => onTestFinished(stop),
    fail: (error) => void failures.push(error),
  };
}

/** @param groups members of the groups in region us; any user exists, and no other group */
export async function openSyncing(
  groups: Seed,
  sandbox: SandboxOptions = {},
  start: StartOptions = {},
): Promise<Syncing> {
  const path = join(tempDir(), 'members.csv');
  const pipeline = await openPipeline({
    place: EMBEDDED,
    ...start,
    sandbox: { groups: 0, ...sandbox, seed: { regions: { us: { members: groups } } } },
  });
  const apps = Object.fromEntries(REGIONS.map((region) => [region, pipeline.sandbox.apps[region]]));
  const open = () => composeSyncs({ ...processOf(pipeline, apps), ...SHARED_READING, onStop: () => {} });
  let syncs = open();
  onTestFinished(() => syncs.stop());

  const syncing: Syncing = {
    ...pipeline,
    get coordinator() {
      return pipeline.coordinator;
    },
    get syncs() {
      return syncs;
    },
    file: (content) => {
      writeSettled(path, content);
      return path;
    },
    otherFile: (content, name = 'other') => {
      const other = `${path}.${name}`;
      writeSettled(other, content);
      return other;
    },
    request: (content, flags = {}, more = {}) => ({
      file: 'members.csv',
      source: more.source ?? syncing.file(content),
      reading: { format: 'auto', map: {}, region: 'us' },
      ...flags,
      apply: true,
      who: 'tester',
      ...more,
    }),
    sync: async (content, flags = {}, more = {}) => {
      const id = await syncs.create(syncing.request(content, flags, more));
      return syncSettled(syncs, id);
    },
    members: (guid, region = 'us') => Object.fromEntries(pipeline.sandbox.members(region, guid)),
    plan: (id, read) => {
      const reader = openPlanReader(planFiles(pipeline.dir.sync(id)).plan);
      try {
        return read(reader);
      } finally {
        reader.close();
      }
    },
    changes: (id) =>
      syncing.plan(id, (plan) =>
        plan
          .actions(CHANGES)
          .map(({ guid, uid, action, from, to }) => `${guid} ${uid}: ${action} ${from}>${to}`)
          .toArray(),
      ),
    stop: async () => {
      await syncs.stop();
      await pipeline.stop();
    },
    restart: async (again) => {
      await pipeline.restart(again);
      syncs = open();
    },
  };
  return syncing;
}

/** A file of the members of groups: `guid,uid,scope`. */
export function file(groups: Readonly<Record<string, Readonly<Record<string, Place>>>>): string {
  const rows = Object.entries(groups).flatMap(([guid, members]) =>
    Object.entries(members).map(([uid, scope]) => `${guid},${uid},${scope}`),
  );
  return `${['guid,uid,scope', ...rows].join('\n')}\n`;
}
