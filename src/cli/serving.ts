import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import type { Settings } from '../api/service.ts';
import { type App, openApp } from '../app/app.ts';
import { callMetrics } from '../app/call-metrics.ts';
import type { Service } from '../app/chat-service.ts';
import { serviceOpener } from '../app/open-service.ts';
import type { AnswerOwner } from '../app/owner-socket.ts';
import { asError } from '../errors/message-of.ts';
import { notifyTarget } from '../features/notify/open-receiver.ts';
import { scheduleHandlers } from '../features/schedule/routes/schedule-routes.ts';
import { syncOperations } from '../features/sync/operations.ts';
import { syncHandlers } from '../features/sync/routes/sync-handlers.ts';
import { watchForReturn } from '../imports/life/away-watch.ts';
import { watchKeys } from '../imports/life/key-watch.ts';
import { waitOf } from '../imports/life/waits.ts';
import { REGIONS } from '../membership/membership.ts';
import { type Config, readConfig } from '../platform/config.ts';
import { announceAddress, type DataDir, dataDir } from '../platform/data-dir.ts';
import { createLifecycle, firstSignal, type Lifecycle, leaveWithoutQueue } from '../platform/lifecycle.ts';
import { isLoopback } from '../platform/loopback.ts';
import { PACKAGE_FOLDER, VERSION } from '../platform/package-folder.ts';
import { openAccessStore } from '../server/access/access-store.ts';
import { addressesForOthers } from '../server/addresses.ts';
import { stopServer } from '../server/bare-server.ts';
import { consoleBundle } from '../server/console-bundle.ts';
import type { Api, ServerContext } from '../server/context.ts';
import { handled } from '../server/perform.ts';
import { createServer } from '../server/server.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { SandboxFlags, SendingFlags, WorkersFlags } from './flags/flags.ts';
import type { LogFlags } from './flags/setting-flag.ts';
import { importOwner, ownerAnswers } from './owner.ts';
import { type Io, logStream, say } from './screen/io.ts';
import { typedCommand } from './typed-command.ts';
import { failureWords } from './unexpected.ts';
import { UsageError } from './usage-error.ts';

export interface ServeFlags extends SandboxFlags, SendingFlags, WorkersFlags, LogFlags {
  readonly dataDir?: string;
  readonly host: string;
  readonly port: number;
  readonly requireToken?: true;
  readonly trustProxy?: readonly string[];
  /** In ms. */
  readonly keep?: number;
  /** In bytes. */
  readonly maxUpload: number;
  readonly notify?: string;
  readonly notifyPrivate?: true;
}

/** Serves until a signal comes; unfinished work continues at the next start. */
export async function serve(io: Io, flags: ServeFlags): Promise<ExitCode> {
  const config = readConfig(flags);
  const dir = dataDir(config.dataDir);
  const receiver = await notifyTarget(config, flags);
  const lifecycle = createLifecycle();
  let failure: Error | undefined;
  const signal = firstSignal(EXIT.ok, () => say(io, 'Stopped at once; imports continue at the next start.'));
  try {
    const openService = serviceOpener(config, flags);
    const registry = new Registry();
    const app = await openApp(lifecycle, {
      config,
      openService,
      show: (text: string) => say(io, text),
      keepMs: config.keep,
      isServer: true,
      logStream: logStream(io),
      observer: callMetrics(registry),
      reading: io.reading,
    });
    const { service, coordinator, log, warn, fail } = app;
    /** A full disk, or a database that another program holds, ends no server: what it has interrupted continues when that is over. */
    const endUnlessItPasses = (error: unknown) => {
      if (waitOf(error) !== undefined) log.error({ err: error }, 'the data directory cannot be written now');
      else fail(asError(error));
    };
    void app.failed.then((error) => {
      failure = error;
    });
    const access = openAccessStore(join(dir.root, 'access.sqlite'));
    lifecycle.onStop(() => access.close());
    const tokenRequired = flags.requireToken === true || !isLoopback(flags.host);
    const { app: server, context } = await createServer({
      config,
      service,
      coordinator,
      dir,
      access,
      tokenRequired,
      log,
      registry,
      settings: settingsOf(config, service, flags, await sourcesOf(config, service, dir, io)),
      onStop: lifecycle.onStop,
      fail: endUnlessItPasses,
      stage: io.reading?.stage,
      tracing: app.tracing?.plugin,
      ...(flags.trustProxy !== undefined && { trustProxy: flags.trustProxy }),
      receiver,
      notifyPrivate: flags.notifyPrivate === true,
    });
    await app.serveOwner(answersOf(context));
    lifecycle.onStop((deadlineMs) => stopServer(server, deadlineMs / 2));
    const address = await listen(server, flags);
    announceAddress(dir, address);
    if (tokenRequired && !access.hasValidToken()) sayHowToLogIn(io, config);
    sayAddresses(io, address, flags.host);
    // So that the first visitor does not wait for it. If it fails, the API still works.
    consoleBundle().catch((error: unknown) => log.warn({ err: error }, 'the console cannot be shown'));
    const continued = coordinator.continueAll().then((resting) => {
      for (const { record, why } of resting) warn(`import ${record.id} waits: ${why.message}`);
    });
    // If the queue does not answer, this waits as long.
    await Promise.race([continued, signal.arrived]);
    continued.catch(endUnlessItPasses);
    watchImports(app, lifecycle, io);
    context.syncs.continueAll();
    context.schedules.start();
    const interrupted = await Promise.race([app.failed.then(() => false), signal.arrived.then(() => true)]);
    if (interrupted) say(io, 'Stopping: calls and downloads in flight may finish. Press Ctrl-C again to stop at once.');
  } finally {
    const leave = () => say(io, 'The queue does not answer; stopped anyway. Imports continue at the next start.');
    const stay = config.queue === undefined ? () => {} : leaveWithoutQueue(EXIT.ok, leave);
    await lifecycle.stop();
    stay();
    signal.ignore();
  }
  if (failure === undefined) return EXIT.ok;
  say(
    io,
    '',
    `rollcall cannot continue: ${failureWords(failure)}`,
    'When it is fixed, start it again: imports continue.',
  );
  return EXIT.fatal;
}

/** Continues imports that wait, when the machine, a key or the service lets them. */
function watchImports({ coordinator, log }: Pick<App, 'coordinator' | 'log'>, lifecycle: Lifecycle, io: Io): void {
  const tell = (text: string) => {
    log.info(text);
    say(io, `${text}.`);
  };
  const waits = coordinator.watchWaits((error) => log.warn({ err: error }, 'imports that wait do not continue'));
  lifecycle.onStop(() => waits.stop());
  const keys = watchKeys(coordinator, tell, (error) => log.warn({ err: error }, 'keys cannot be looked at'));
  lifecycle.onStop(() => keys.stop());
  const awayWatch = watchForReturn(coordinator, tell, (error) =>
    log.warn({ err: error }, 'imports that wait for the service cannot continue'),
  );
  lifecycle.onStop(() => awayWatch.stop());
}

/** Opens the port of a server; its address. @throws UsageError */
export async function listen(
  server: Api,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  try {
    const address = await server.listen({ host, port, listenTextResolver: (at) => `listening on ${at}` });
    return address.replace('//[::]', '//[::1]');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') {
      throw new UsageError(`port ${port} of ${host} is taken; name another with --port, or 0 for a free one`);
    }
    if (code === 'EACCES')
      throw new UsageError(`port ${port} needs rights that this user has not; name one above 1023`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new UsageError(
        `${JSON.stringify(host)} is not an address of this machine; give one with --host, such as 127.0.0.1`,
      );
    }
    throw error;
  }
}

export function sayHowToLogIn(io: Io, config: Config): void {
  say(
    io,
    'No one can log in yet. Create a token with:',
    `  ${typedCommand(config, 'token', 'create', '--role', 'admin')}`,
  );
}

export function sayAddresses(io: Io, address: string, host: string): void {
  say(io, `Listening on ${address}`);
  const others = addressesForOthers(address, host);
  if (others.length > 0) say(io, 'From other machines:', ...others.map((one) => `  ${one}`));
}

/** Answers commands on this machine, for a server. */
export function answersOf(context: ServerContext): AnswerOwner {
  const syncs = handled(syncOperations, syncHandlers(context));
  return ownerAnswers(context, [...importOwner(context), syncs, scheduleHandlers(context, true)]);
}

const DAY_MS = 86_400_000;
const SAMPLE = new URL('samples/first-import/members.csv', PACKAGE_FOLDER);

/**
 * Folders and addresses that schedules may read. Where no setting names one and calls go to a sandbox, it is a folder that is
 * made with a sample; what people do in it stays.
 */
export async function sourcesOf(
  config: Config,
  service: Service,
  { sources: own }: DataDir,
  io: Io,
): Promise<string[]> {
  if (!service.sandbox || config.sources.length > 0) return [...config.sources];
  const made = await mkdir(own, { recursive: true, mode: 0o700 });
  if (made !== undefined) await writeFile(join(own, 'members.csv'), await readFile(SAMPLE), { mode: 0o600 });
  say(
    io,
    `Schedules made in the console read files in ${own}. Put yours there, or name other folders with ROLLCALL_SOURCES.`,
  );
  return [own];
}

/** The settings of a server, as its API shows them. */
export function settingsOf(
  config: Config,
  service: Service,
  flags: { readonly maxUpload: number },
  sources: string[],
): Settings {
  const apps = REGIONS.flatMap((region) => {
    const app = service.apps[region];
    return app === undefined ? [] : [[region, { appId: app.appId, keySet: app.apiKey !== undefined }] as const];
  });
  const { queue, keep: keepMs } = config;
  return {
    version: VERSION,
    profile: service.profile ?? null,
    host: service.host,
    sandbox: service.sandbox,
    queue: queue === undefined ? 'embedded' : 'redis',
    apps: Object.fromEntries(apps),
    defaultRegion: config.defaultRegion,
    callsPerMinute: config.callsPerMinute,
    concurrency: config.concurrency,
    keepDays: keepMs === undefined ? null : keepMs / DAY_MS,
    maxUploadBytes: flags.maxUpload,
    withWorkers: service.sends,
    sources,
  };
}
