import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { type Config, ConfigError, readConfig } from '../config.ts';
import { createLifecycle, firstSignal, leaveWithoutQueue } from '../lifecycle.ts';
import { openLog } from '../log.ts';
import { REGIONS } from '../membership/membership.ts';
import { serveControl } from '../pipeline/control.ts';
import { dataDir, makeDataDir } from '../pipeline/data-dir.ts';
import { openAccessStore } from '../server/access/access-store.ts';
import { isLoopback } from '../server/access/guard.ts';
import type { Api, ServerSettings } from '../server/context.ts';
import { createServer } from '../server/server.ts';
import { stopServer } from '../server/stopping.ts';
import { BadReceiver, openReceiver, type Receiver } from '../server/webhook/receiver.ts';
import { VERSION } from '../version.ts';
import { composeCoordinator, type Service } from './compose.ts';
import { UsageError } from './errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import {
  duration,
  type SandboxFlags,
  type SendingFlags,
  type WorkersFlags,
  wholeNumber,
  withDataDir,
  withPace,
  withSandbox,
  withWorkers,
} from './flags.ts';
import { serviceOpener } from './import.ts';
import { type Io, say } from './io.ts';

interface Flags extends SandboxFlags, SendingFlags, WorkersFlags {
  readonly dataDir?: string;
  readonly host: string;
  readonly port: number;
  readonly requireToken?: true;
  /** In ms. */
  readonly keep?: number;
  /** In bytes. */
  readonly maxUpload: number;
  readonly notify?: string;
  readonly notifyPrivate?: true;
}

const DAY_MS = 86_400_000;
const DEFAULT_PORT = 7700;
const SHORTEST_SECRET = 16;
const DEFAULT_UPLOAD = 2 * 1024 ** 3;

/** `rollcall serve`: the coordinator that stays, with its HTTP API and console. */
export function serveCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('serve')
    .description('stay and take imports over HTTP: API, web console, reports')
    .option('--host <address>', 'address to listen on; other than loopback needs tokens', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 takes a free one', wholeNumber(0, 65_535), DEFAULT_PORT)
    .option('--require-token', 'ask for a token on loopback too; `rollcall token create` makes one')
    .option('--keep <time>', 'remove imports that have been over for so long, such as 90d (default: never)', duration)
    .option('--max-upload <size>', 'largest upload, such as 500mb (default: 2gb)', byteCount, DEFAULT_UPLOAD)
    .option(
      '--notify <url>',
      'tell this address of imports that are over or blocked, signed with ROLLCALL_NOTIFY_SECRET (default: none, or ROLLCALL_NOTIFY)',
    )
    .option('--notify-private', 'let it be an address of this machine or of a private network, and plain http');
  return withSandbox(withPace(withWorkers(withDataDir(command)))).action((flags: Flags) => end(serve(io, flags)));
}

async function serve(io: Io, flags: Flags): Promise<ExitCode> {
  const config = readConfig(flags);
  const dir = dataDir(config.dataDir);
  const receiver = receiverOf(config, flags);
  const life = createLifecycle();
  let failure: Error | undefined;
  const signal = firstSignal(EXIT.ok, () => say(io, 'Left at once; imports go on at the next start.'));
  try {
    const service = await serviceOpener(config, flags)();
    life.onStop(() => service.close());
    if (config.queue === undefined && !existsSync(dir.queue)) say(io, 'Preparing the queue for its first use …');
    makeDataDir(dir);
    const log = openLog(dir.root);
    const warn = (text: string) => {
      log.warn(text);
      say(io, `Warning: ${text}.`);
    };
    const coordinator = await composeCoordinator(config, service, log, warn, config.keepMs);
    life.onStop((deadlineMs) => coordinator.stop(deadlineMs));
    const failed = new Promise<void>((resolve) => {
      coordinator.events.once('failure', (error) => {
        failure = error;
        resolve();
      });
    });
    const control = await serveControl(dir, coordinator);
    life.onStop(() => control.close());
    const access = openAccessStore(join(dir.root, 'access.sqlite'));
    life.onStop(() => access.close());
    const tokenRequired = flags.requireToken === true || !isLoopback(flags.host);
    const server = await createServer({
      coordinator,
      dir,
      access,
      settings: settingsOf(config, service, flags, receiver?.host),
      tokenRequired,
      log,
      ...(receiver !== undefined && { receiver }),
    });
    life.onStop((deadlineMs) => stopServer(server, deadlineMs / 2));
    const address = await listen(server, flags);
    coordinator.announce(address);
    for (const { record, why } of await coordinator.continueAll())
      warn(`import ${record.id} stays ${record.state}: ${why.message}`);
    if (tokenRequired && !access.hasValidToken()) {
      say(io, 'Nobody can log in yet: make a token with', `  ${config.command} token create --role operator`);
    }
    say(io, `Listening on ${address}`);
    const interrupted = await Promise.race([failed.then(() => false), signal.arrived.then(() => true)]);
    if (interrupted) say(io, 'Stopping: calls and downloads under way may finish. Ctrl-C again leaves at once.');
  } finally {
    const leave = () => say(io, 'The queue does not answer; left without it. Imports go on at the next start.');
    const stay = config.queue === undefined ? () => {} : leaveWithoutQueue(EXIT.ok, leave);
    await life.stop();
    stay();
    signal.ignore();
  }
  if (failure === undefined) return EXIT.ok;
  say(io, '', `rollcall cannot go on: ${failure.message}`);
  return EXIT.fatal;
}

async function listen(server: Api, { host, port }: Flags): Promise<string> {
  try {
    return await server.listen({ host, port, listenTextResolver: (at) => `listening on ${at}` });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') {
      throw new UsageError(`port ${port} of ${host} is taken; name another with --port, or 0 for a free one`);
    }
    if (code === 'EACCES')
      throw new UsageError(`port ${port} needs rights that this user has not; name one above 1023`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new UsageError(
        `${JSON.stringify(host)} is no address of this machine; name one with --host, such as 127.0.0.1`,
      );
    }
    throw error;
  }
}

/** Who is to be told of imports that are over, checked before anything is opened. */
function receiverOf({ notify, notifySecret: secret }: Config, flags: Flags): Receiver | undefined {
  if (notify === undefined) return undefined;
  if (secret === undefined || secret.length < SHORTEST_SECRET) {
    throw new ConfigError(
      `ROLLCALL_NOTIFY_SECRET is ${secret === undefined ? 'not set' : 'too short'}: set it to what notes are signed with, at least ${SHORTEST_SECRET} characters, such as the output of \`openssl rand -hex 32\``,
    );
  }
  try {
    return openReceiver({ url: notify, secret, allowPrivate: flags.notifyPrivate === true });
  } catch (error) {
    if (!(error instanceof BadReceiver)) throw error;
    throw new ConfigError(`${flags.notify === undefined ? 'ROLLCALL_NOTIFY' : '--notify'} ${error.message}`);
  }
}

function settingsOf(config: Config, service: Service, flags: Flags, notifyHost: string | undefined): ServerSettings {
  const apps = REGIONS.flatMap((region) => {
    const app = service.apps[region];
    return app === undefined ? [] : [[region, { appId: app.appId, keySet: app.apiKey !== undefined }] as const];
  });
  const { queue, keepMs } = config;
  return {
    version: VERSION,
    host: service.host,
    sandbox: service.sandbox,
    queue: queue === undefined ? 'embedded' : queue.startsWith('postgres') ? 'postgres' : 'redis',
    apps: Object.fromEntries(apps),
    defaultRegion: config.defaultRegion,
    callsPerMinute: config.callsPerMinute,
    concurrency: config.concurrency,
    keepDays: keepMs === undefined ? null : keepMs / DAY_MS,
    maxUploadBytes: flags.maxUpload,
    withWorkers: service.sends,
    notifyHost: notifyHost ?? null,
  };
}

const UNITS: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3, tb: 1024 ** 4 };

/** `500mb` in bytes. */
function byteCount(text: string): number {
  const [, count, unit = 'b'] = /^(\d{1,9})(b|kb|mb|gb|tb)?$/i.exec(text.trim()) ?? [];
  const bytes = Number(count) * (UNITS[unit.toLowerCase()] ?? 0);
  if (bytes > 0) return bytes;
  throw new InvalidArgumentError('Expected a size such as 500mb or 2gb.');
}
