import { Registry } from 'prom-client';
import { type App, openApp } from '../app/app.ts';
import { callMetrics } from '../app/call-metrics.ts';
import { openService } from '../app/open-service.ts';
import { asError } from '../errors/rollcall-error.ts';
import { notifyTarget } from '../features/notify/open-receiver.ts';
import { expireDaily } from '../features/sync/compose-syncs.ts';
import { watchForReturn } from '../imports/life/away-watch.ts';
import { watchKeys } from '../imports/life/key-watch.ts';
import { waitOf } from '../imports/life/waits.ts';
import { readConfig } from '../platform/config.ts';
import { announceAddress } from '../platform/data-dir.ts';
import { isLoopback } from '../platform/hosts.ts';
import { createLifecycle, firstSignal, type Lifecycle, stopAll } from '../platform/lifecycle.ts';
import { openAccessStore } from '../server/access/access-store.ts';
import { stopServer } from '../server/bare-server.ts';
import { consoleBundle } from '../server/console-files.ts';
import { createServer } from '../server/server.ts';
import { EXIT } from './exit-codes.ts';
import type { RunningFlags } from './flags/flags.ts';
import { failureWords } from './refusal.ts';
import { type Io, logStream, say } from './screen/io.ts';
import { answersOf, listen, sayAddresses, sayHowToLogIn, settingsOf, sourcesOf } from './server-parts.ts';

export interface ServeFlags extends RunningFlags {
  readonly host: string;
  readonly port: number;
  readonly requireToken?: true;
  readonly trustProxy?: readonly string[];
  /** In bytes. */
  readonly maxUpload: number;
  readonly notifyPrivate?: true;
}

/** The server in the audit log, where it begins something that no person asked for. */
const BY_ITSELF = { who: 'rollcall serve', role: 'admin', address: 'by itself' } as const;

/** Serves until a signal comes; unfinished work continues at the next start. */
export async function serve(io: Io, flags: ServeFlags) {
  const config = readConfig(flags);
  const { dir } = config;
  const receiver = await notifyTarget(config, flags);
  const lifecycle = createLifecycle();
  let failure: Error | undefined;
  const signal = firstSignal(EXIT.ok, () => say(io, 'Stopped at once; imports continue at the next start.'));
  try {
    const registry = new Registry();
    const app = await openApp(lifecycle, {
      config,
      openService: () => openService(config, flags),
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
    const access = openAccessStore(dir.access);
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
      trustProxy: flags.trustProxy,
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
    context.schedules.runs.start();
    const noteExpiry = (target: string) =>
      access.note({ ...BY_ITSELF, action: 'membership.expire', target, detail: '' });
    const noteFailure = (err: unknown) => log.error({ err }, 'memberships that are over stay');
    lifecycle.onStop(expireDaily(context.syncs, dir.ends, noteExpiry, noteFailure));
    const interrupted = await Promise.race([app.failed.then(() => false), signal.arrived.then(() => true)]);
    if (interrupted) say(io, 'Stopping: calls and downloads in flight may finish. Press Ctrl-C again to stop at once.');
  } finally {
    const leave = () => say(io, 'The queue does not answer; stopped anyway. Imports continue at the next start.');
    await stopAll(lifecycle, signal, EXIT.ok, config.queue === undefined ? undefined : leave);
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
function watchImports({ coordinator, log }: Pick<App, 'coordinator' | 'log'>, lifecycle: Lifecycle, io: Io) {
  const warning = (text: string) => (err: unknown) => log.warn({ err }, text);
  const tell = (text: string) => {
    log.info(text);
    say(io, `${text}.`);
  };
  lifecycle.onStop(coordinator.watchWaits(warning('imports that wait do not continue')).stop);
  lifecycle.onStop(watchKeys(coordinator, tell, warning('keys cannot be looked at')).stop);
  lifecycle.onStop(
    watchForReturn(coordinator, tell, warning('imports that wait for the service cannot continue')).stop,
  );
}
