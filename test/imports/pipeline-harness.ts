import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { ImportSummary } from '../../src/api/import-summary.ts';
import { composeCoordinator } from '../../src/app/app.ts';
import { type ChatClient, createChatClient } from '../../src/chat/chat-client.ts';
import type { Timeouts } from '../../src/chat/connection.ts';
import type { ImportRecord } from '../../src/imports/catalog.ts';
import { type ImportOptions, importOptions } from '../../src/imports/import-options.ts';
import type { Coordinator } from '../../src/imports/life/coordinator.ts';
import { openImportReader } from '../../src/imports/report/import-reader.ts';
import type { ReportRow } from '../../src/imports/report/report-table.ts';
import { totalsOf } from '../../src/imports/report/summarize.ts';
import type { OpenRegion } from '../../src/imports/send/region.ts';
import type { ImportState } from '../../src/membership/import-state.ts';
import { type Membership, REGIONS, type Region } from '../../src/membership/membership.ts';
import { OUTCOMES, type RowCounts } from '../../src/membership/outcome.ts';
import { readConfig } from '../../src/platform/config.ts';
import { type DataDir, dataDir } from '../../src/platform/data-dir.ts';
import type { Logger } from '../../src/platform/log.ts';
import type { AskBeforeRepeat } from '../../src/platform/settings.ts';
import type { Backend } from '../../src/queue/backend.ts';
import { openBackend } from '../../src/queue/open-backend.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { tempDir } from '../temp-dir.ts';
import { SHARED_READING } from './shared-reading.ts';

/** A place for the queue that the pipeline's tests run on, each of them on every one. */
export interface QueuePlace {
  readonly name: string;
  open(dir: DataDir): Promise<Backend>;
}

export const EMBEDDED: QueuePlace = {
  name: 'embedded',
  open: () => openBackend(),
};

export const QUEUE_PLACES: readonly QueuePlace[] = [EMBEDDED];

export interface PipelineOptions {
  readonly place: QueuePlace;
  readonly sandbox?: SandboxOptions;
  /** Default: a million. null: a share of what the service allows. */
  readonly callsPerMinute?: number | null;
  readonly listsPerMinute?: number;
  readonly concurrency?: number;
  /** Default: that of the settings. */
  readonly perGroup?: number;
  readonly timeouts?: Partial<Timeouts>;
  /** Whether it has threads of its own, as in life. Default: files are read in this thread, and reading threads shared. */
  readonly threads?: boolean;
  /** Default: none. */
  readonly log?: Logger;
}

export interface StartOptions {
  /** Regions that have an app. Default: all. */
  readonly regions?: readonly Region[];
  /** Keys in place of the sandbox's. */
  readonly apiKeys?: Partial<Record<Region, string>>;
  /** The key as the settings say it, for clients that look for a new one. */
  readonly currentKey?: (region: Region) => string | undefined;
  /** Whether the coordinator takes what it sends to for a sandbox. Default: no, it is the service. */
  readonly asSandbox?: boolean;
  /** The settings for the service, in place of the sandbox's; calls go to the sandbox all the same. */
  readonly settings?: { readonly profile?: string; readonly host?: string; readonly appId?: string };
  readonly keepMs?: number;
  readonly giveUpAfter?: number;
  /** Default: auto. */
  readonly askBeforeRepeat?: AskBeforeRepeat;
  /** Puts something between the workers and the service. */
  readonly chat?: (chat: ChatClient, region: Region) => ChatClient;
}

export interface Pipeline {
  readonly dir: DataDir;
  readonly sandbox: Sandbox;
  readonly coordinator: Coordinator;
  /** By region, as far as they were opened. */
  readonly openRegions: ReadonlyMap<Region, OpenRegion>;
  /** Errors in the background. A test ends with none, unless it empties the list. */
  readonly failures: Error[];
  /** For what something waited, in sentences. */
  readonly waits: string[];
  /** Every state of every import, in order. */
  readonly states: ImportState[];
  /** Writes the file and imports it. Returns the id. */
  send(content: string, options?: Partial<ImportOptions>, how?: { readonly start: boolean }): Promise<string>;
  /** The same, and waits until nothing more happens by itself. */
  run(content: string, options?: Partial<ImportOptions>): Promise<ImportRecord>;
  rows(id: string): ReportRow[];
  counts(id: string): RowCounts;
  summary(id: string): ImportSummary;
  /** Calls that the ledger knows of. */
  calls(id: string): number;
  stop(): Promise<void>;
  /** A new coordinator on the same directory, after `stop`. */
  restart(options?: StartOptions): Promise<void>;
}

/** A sandbox, and a coordinator with workers that import into it; both gone when the test is over. */
export async function openPipeline(options: PipelineOptions & StartOptions): Promise<Pipeline> {
  const root = tempDir();
  const sandbox = await startSandbox({
    users: 'any',
    groups: 'any',
    rateLimit: { calls: 1_000_000, perMs: 1_000 },
    randomSeed: 1,
    ...options.sandbox,
  });
  onTestFinished(() => sandbox.close());

  const dir = dataDir(join(root, 'data'));
  const { callsPerMinute = 1_000_000, listsPerMinute, concurrency = 10 } = options;
  const failures: Error[] = [];
  const states: ImportState[] = [];
  const waits: string[] = [];
  let files = 0;
  let started = await start(options);
  onTestFinished(async () => {
    await started.coordinator.stop(500);
    if (failures.length > 0) throw new AggregateError(failures, failures.map(({ message }) => message).join('; '));
  });

  async function start(chosen: StartOptions) {
    const {
      regions = REGIONS,
      apiKeys = {},
      chat = (one) => one,
      currentKey,
      asSandbox,
      keepMs,
      askBeforeRepeat = 'auto',
    } = chosen;
    const openRegions = new Map<Region, OpenRegion>();
    const { caPem: ca } = sandbox;
    const { profile, host = sandbox.host, appId } = chosen.settings ?? {};
    const apps = Object.fromEntries(
      regions.map((region) => [region, { ...sandbox.apps[region], ...(appId !== undefined && { appId }) }]),
    );
    const config = readConfig(
      {
        dataDir: dir.root,
        callsPerMinute: callsPerMinute ?? undefined,
        concurrency,
        perGroup: options.perGroup,
        giveUpAfter: chosen.giveUpAfter,
      },
      { ROLLCALL_ASK_BEFORE_REPEAT: askBeforeRepeat, ROLLCALL_LISTS_PER_MINUTE: listsPerMinute?.toString() },
      root,
    );
    const coordinator = await composeCoordinator({
      config,
      service: { sends: true, sandbox: asSandbox ?? false, profile, host, apps, ca },
      log: options.log ?? pino({ enabled: false }),
      warn: (text) => failures.push(new Error(text)),
      keepMs,
      backend: () => options.place.open(dir),
      client: (region) => {
        const { appId, apiKey } = sandbox.apps[region];
        const client = createChatClient({
          region,
          appId,
          apiKey: apiKeys[region] ?? apiKey,
          host: sandbox.host,
          ca,
          timeouts: options.timeouts,
          currentKey: () => currentKey?.(region),
        });
        return chat(client, region);
      },
      ...(options.threads !== true && SHARED_READING),
      onRegion: (opened) => openRegions.set(opened.region, opened),
      onError: (error) => failures.push(error),
      onWait: (sentence) => waits.push(sentence),
    });
    coordinator.events.on('failure', (error) => failures.push(error));
    coordinator.events.on('state', ({ state }) => states.push(state));
    return { coordinator, openRegions };
  }

  const reading = <Result>(id: string, read: (reader: ReturnType<typeof openImportReader>) => Result): Result => {
    const reader = openImportReader(dir.ledger(id));
    try {
      return read(reader);
    } finally {
      reader.close();
    }
  };

  const pipeline: Pipeline = {
    dir,
    sandbox,
    failures,
    waits,
    states,
    get coordinator() {
      return started.coordinator;
    },
    get openRegions() {
      return started.openRegions;
    },
    send: (content, chosen = {}, how = { start: true }) => {
      const source = join(root, `input-${++files}`);
      writeFileSync(source, content);
      return started.coordinator.create({
        file: source,
        source,
        options: importOptions.parse({ region: 'us', ...chosen }),
        ...how,
      });
    },
    run: async (content, chosen) => started.coordinator.settled(await pipeline.send(content, chosen)),
    rows: (id) => reading(id, (reader) => reader.rows().toArray()),
    counts: (id) => countsOf(pipeline.rows(id)),
    calls: (id) => reading(id, (reader) => totalsOf(reader.counters(), true).calls),
    summary: (id) => JSON.parse(readFileSync(join(dir.folder(id), 'summary.json'), 'utf8')),
    stop: () => started.coordinator.stop(2_000),
    restart: async (again = {}) => {
      started = await start(again);
    },
  };
  return pipeline;
}

/** Rows by outcome, counted one by one. */
export function countsOf(rows: readonly { readonly status: ReportRow['status'] }[]): RowCounts {
  const counts = Object.fromEntries(['read', ...OUTCOMES].map((name) => [name, 0])) as Record<keyof RowCounts, number>;
  for (const { status } of rows) counts[status] += 1;
  return { ...counts, read: rows.length };
}

/** A CSV file of these rows. */
export function csv(rows: readonly Partial<Membership>[]): string {
  const lines = rows.map(({ region = 'us', guid = 'g', uid = '', scope = 'participant', onBehalfOf = '' }) =>
    [region, guid, uid, scope, onBehalfOf].join(','),
  );
  return `${['region,guid,uid,scope,on_behalf_of', ...lines].join('\n')}\n`;
}

/** `count` rows for one group, with the UIDs `<prefix>1`, `<prefix>2` and so on. */
export function participants(count: number, guid = 'g', prefix = 'u'): Membership[] {
  return Array.from({ length: count }, (_, index) => ({
    region: 'us',
    guid,
    uid: `${prefix}${index + 1}`,
    scope: 'participant',
    onBehalfOf: '',
  }));
}

/** Resolves when the import is in this state. */
export async function reached(coordinator: Coordinator, id: string, state: ImportState): Promise<void> {
  if (coordinator.find(id).state === state) return;
  await new Promise<void>((resolve) => {
    const look = () => {
      if (coordinator.find(id).state !== state) return;
      coordinator.events.off('state', look);
      resolve();
    };
    coordinator.events.on('state', look);
  });
}

export { eventually } from '../eventually.ts';
