import { Command } from 'commander';
import { callLog } from '../../app/call-log.ts';
import { clientOf, hostOf, serviceOf } from '../../app/chat-service.ts';
import { openQueue } from '../../app/open-queue.ts';
import { openTracing } from '../../app/tracing/tracing.ts';
import { badUsage } from '../../errors/rollcall-error.ts';
import { watchWorkersKeys } from '../../imports/life/key-watch.ts';
import { observers } from '../../imports/send/call-observer.ts';
import { startWorkerProcess, type WorkingRegion } from '../../imports/send/worker-process.ts';
import type { Region } from '../../membership/membership.ts';
import { readConfig } from '../../platform/config.ts';
import { checkFileLimit } from '../../platform/file-limit.ts';
import { createLifecycle, firstSignal, stopAll } from '../../platform/lifecycle.ts';
import { createLog, quietly } from '../../platform/log.ts';
import { VERSION } from '../../platform/packages.ts';
import { MAX_CONCURRENCY } from '../../platform/settings.ts';
import { counted } from '../../text/wording.ts';
import { type Action, EXIT } from '../exit-codes.ts';
import { type CommonFlags, regionList, settingFlag, wholeNumber, withLog, withQueue } from '../flags/flags.ts';
import { type Io, logStream, say } from '../screen/io.ts';

interface Flags extends CommonFlags {
  readonly region?: readonly Region[];
  readonly healthPort?: number;
  readonly healthHost: string;
}

/** `rollcall worker`: sends the batches of some regions, wherever the queue can be reached. */
export function workerCommand(action: Action) {
  const command = new Command('worker')
    .option('--region <regions>', 'regions to send for, such as us,eu (default: all that have a key here)', regionList)
    .addOption(settingFlag('concurrency'))
    .option(
      '--health-port <port>',
      'serve /healthz, /readyz, /metrics and /concurrency on this port',
      wholeNumber(0, 65_535),
    )
    .option('--health-host <address>', 'address that the health port listens on', '127.0.0.1');
  return withLog(withQueue(command)).action(action(work));
}

async function work(io: Io, flags: Flags) {
  const config = readConfig(flags);
  if (config.queue === undefined) {
    throw badUsage('a worker needs the queue that its coordinator uses: --queue redis://… or ROLLCALL_QUEUE');
  }
  checkFileLimit(false);
  const service = serviceOf(config, flags.region);
  if (config.hostCorrection !== undefined) say(io, `${config.hostCorrection}.`);
  const regions = flags.region ?? (Object.keys(service.apps) as Region[]);
  const { logLevel: level, logFile: file } = config;
  const log = createLog({ level, file, stream: logStream(io) });
  const onError = quietly((error) => log.warn({ err: error }, error.message));
  const lifecycle = createLifecycle();
  const signal = firstSignal(EXIT.interrupted, () => say(io, 'Stopped at once.'));
  try {
    const warn = (text: string) => {
      log.warn(text);
      say(io, `Warning: ${text}.`);
    };
    const tracing = await openTracing((text) => log.warn(text));
    if (tracing !== undefined) lifecycle.onStop(() => tracing.stop());
    const backend = await openQueue({ config, warn, telemetry: tracing?.telemetry }, onError);
    const { healthPort, healthHost } = flags;
    // Without the port nobody asks for metrics.
    const health =
      healthPort === undefined ? undefined : (await import('../worker-health.ts')).workerHealth(healthPort, healthHost);
    const worker = startWorkerProcess({
      backend,
      apps: regions.map((region) => {
        const appId = service.apps[region]?.appId ?? '';
        // Connections are opened as calls need them, whose number can be raised while this runs.
        return { region, appId, host: hostOf(service, region), chat: clientOf(service, region, MAX_CONCURRENCY) };
      }),
      config,
      observer: observers(callLog(log), health?.observer, tracing?.observer),
      onError,
    });
    lifecycle.onStop((deadlineMs) => worker.stop(deadlineMs));
    const keys = watchWorkersKeys(
      worker.regions,
      (text) => {
        log.info(text);
        say(io, `${text}.`);
      },
      onError,
    );
    lifecycle.onStop(() => keys.stop());
    const server = await health?.serve(worker.regions);
    if (server !== undefined) {
      lifecycle.onStop(() => server.close());
      say(io, `Health and metrics: http://${healthHost}:${server.port}/metrics`);
    }
    introduce(io, worker.regions, config.concurrency);
    log.info({ regions, concurrency: config.concurrency, queue: backend.kind, version: VERSION }, 'worker started');
    await signal.arrived;
    log.info('worker stops');
    say(
      io,
      'Stopping: calls in flight may finish, the rest goes back into the queue. Press Ctrl-C again to stop at once.',
    );
  } finally {
    await stopAll(lifecycle, signal, EXIT.ok, () =>
      say(io, 'The queue does not answer; stopped anyway. Other workers take over when it is back.'),
    );
  }
}

function introduce(io: Io, regions: readonly WorkingRegion[], concurrency: number) {
  const names = regions.map(({ region }) => region).join(', ');
  say(io, `Sending for ${names}, up to ${counted(concurrency, 'concurrent call')} in each. Stop with Ctrl-C.`);
}
