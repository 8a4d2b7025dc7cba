import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../api/service.ts';
import type { Service } from '../app/chat-service.ts';
import type { AnswerOwner } from '../app/owner-socket.ts';
import { badUsage } from '../errors/rollcall-error.ts';
import { checkOperations } from '../features/check/operations.ts';
import { checkHandlers } from '../features/check/routes.ts';
import { correctionsFor } from '../features/correct/routes.ts';
import { exportOperations } from '../features/export/operations.ts';
import { exportHandlers } from '../features/export/routes.ts';
import { scheduleOperations } from '../features/schedule/operations.ts';
import { scheduleHandlers } from '../features/schedule/routes/schedule-routes.ts';
import { syncOperations } from '../features/sync/operations.ts';
import { syncFileOperations, syncHandlers, syncMaking } from '../features/sync/routes/sync-handlers.ts';
import { REGIONS } from '../membership/membership.ts';
import type { Config } from '../platform/config.ts';
import type { DataDir } from '../platform/data-dir.ts';
import { addressesForOthers } from '../platform/hosts.ts';
import { PACKAGE_FOLDER, VERSION } from '../platform/packages.ts';
import type { Api, ServerContext } from '../server/context.ts';
import { handled } from '../server/perform.ts';
import { importOwner, ownerAnswers } from './owner.ts';
import { type Io, say, typedCommand } from './screen/io.ts';

/** Opens the port of a server; its address. @throws BAD_USAGE */
export async function listen(server: Api, { host, port }: { readonly host: string; readonly port: number }) {
  try {
    const address = await server.listen({ host, port, listenTextResolver: (at) => `listening on ${at}` });
    return address.replace('//[::]', '//[::1]');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw badUsage(`port ${port} of ${host} is taken; name another with --port, or 0 for a free one`);
    }
    if (code === 'EACCES') throw badUsage(`port ${port} needs rights that this user has not; name one above 1023`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw badUsage(
        `${JSON.stringify(host)} is not an address of this machine; give one with --host, such as 127.0.0.1`,
      );
    }
    throw error;
  }
}

export function sayHowToLogIn(io: Io, config: Config) {
  say(
    io,
    'No one can log in yet. Create a token with:',
    `  ${typedCommand(config, 'token', 'create', '--role', 'admin')}`,
  );
}

export function sayAddresses(io: Io, address: string, host: string) {
  say(io, `Listening on ${address}`);
  const others = addressesForOthers(address, host);
  if (others.length > 0) say(io, 'From other machines:', ...others.map((one) => `  ${one}`));
}

/** Answers commands on this machine, for a server. */
export function answersOf(context: ServerContext): AnswerOwner {
  const syncs = handled(syncOperations, syncHandlers(context));
  const files = handled(syncFileOperations, syncMaking(context));
  const schedules = handled(scheduleOperations, scheduleHandlers(context, true));
  const checks = handled(checkOperations, checkHandlers(context));
  const exports = handled(exportOperations, exportHandlers(context.exports, context.settings.apps));
  const all = [...importOwner(context), ...correctionsFor(context), syncs, files, schedules, checks, exports];
  return ownerAnswers(context, all);
}

const DAY_MS = 86_400_000;
const SAMPLE = new URL('samples/first-import/members.csv', PACKAGE_FOLDER);

/** Without any in the settings, schedules of a sandbox read a folder that is made with a sample; its contents stay. */
export async function sourcesOf(config: Config, service: Service, { sources: own }: DataDir, io: Io) {
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
  const { queue, keep: keepMs, defaultRegion, callsPerMinute, importsPerMinute, concurrency } = config;
  return {
    version: VERSION,
    profile: service.profile ?? null,
    host: service.host,
    sandbox: service.sandbox,
    queue: queue === undefined ? 'embedded' : 'redis',
    apps: Object.fromEntries(apps),
    defaultRegion,
    callsPerMinute,
    importsPerMinute,
    concurrency,
    keepDays: keepMs === undefined ? null : keepMs / DAY_MS,
    maxUploadBytes: flags.maxUpload,
    withWorkers: service.sends,
    sources,
  };
}
