import { serviceOperations } from '../../api/service.ts';
import { caOf } from '../../app/ca-file.ts';
import { asFlag } from '../../errors/named-options.ts';
import { badUsage, RollcallError } from '../../errors/rollcall-error.ts';
import { targetText } from '../../imports/target.ts';
import { readConfig } from '../../platform/config.ts';
import { defined } from '../../platform/defined.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { type Io, say } from '../screen/io.ts';
import { localImports } from './data-directory.ts';
import { type Imports, importsIn } from './import-place.ts';
import type { Server } from './server-client.ts';

/** Flags for running imports in this process. */
const ONLY_LOCAL = [
  ...['dataDir', 'queue', 'withWorkers'],
  // These imply --sandbox.
  ...['sandboxSeed', 'sandboxFaults', 'sandbox'],
  ...['callsPerMinute', 'concurrency', 'perGroup'],
];

/**
 * The imports that a command is about: those of the server that a flag or setting names, else of the data directory.
 * @throws BAD_SETTING; BAD_USAGE for a flag that only counts where this process runs imports
 */
export async function openImports(flags: CommonFlags) {
  const config = readConfig(flags);
  if (config.server === undefined) return { config, imports: localImports(config) };
  const local = ONLY_LOCAL.find((name) => name in defined(flags));
  if (local !== undefined) {
    throw badUsage(
      `${asFlag({ option: local })} has no meaning for imports that the server at ${config.server} runs; leave it out, or leave out --server and ROLLCALL_SERVER`,
    );
  }
  // Loaded here, so that commands about a data directory start without an HTTP client.
  const { connectToServer } = await import('./server-client.ts');
  const { token, server: url } = config;
  const server = connectToServer({ url, token, ca: caOf(config), plainHttp: flags.plainHttp === true });
  const { profileFlag } = config;
  const which = profileFlag === undefined ? '' : ` --profile ${profileFlag}`;
  const flag = `${which}${flags.server === undefined ? '' : ` --server ${config.server}`}`;
  return { config, imports: importsOf(server, flag) };
}

/**
 * A server's imports.
 * @param flag what follows a command, such as ` --server http://…`
 */
export function importsOf(server: Server, flag: string): Imports {
  return importsIn({
    server,
    client: server,
    limits: () => settingsOf(server),
    place: () => `at ${server.url}`,
    command: (...words) => `${['rollcall', ...words].join(' ')}${flag}`,
    folder: (id) => `imports/${id} in the data directory of ${server.url}`,
    files: ({ id, reports: { all, failed, retry, created } }) => [
      ['every row', all],
      ['to look at', all === null ? null : `${server.url}/imports/${encodeURIComponent(id)}`],
      ['needs attention', failed],
      ['to import again', retry],
      ['created', created],
    ],
    saySendsTo: (io) => saySendsTo(io, server),
  });
}

/** The settings of a server. One that does not say them may still be asked for more. */
function settingsOf(server: Server) {
  return server.call(serviceOperations.settings, {}).catch((error: unknown) => {
    if (error instanceof RollcallError && error.exit === 2) return undefined;
    throw error;
  });
}

async function saySendsTo(io: Io, server: Server) {
  const settings = await settingsOf(server);
  if (settings === undefined) return;
  const { sandbox, profile, host, apps } = settings;
  const ids = Object.fromEntries(Object.entries(apps).map(([region, { appId }]) => [region, appId]));
  const text = sandbox ? 'a sandbox' : targetText({ profile: profile ?? undefined, host, apps: ids });
  say(io, `The server at ${server.url} sends to ${text}.`);
}
