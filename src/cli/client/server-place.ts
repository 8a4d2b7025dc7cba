import { serviceOperations } from '../../api/operations/service-operations.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { targetText } from '../../imports/target.ts';
import { type Io, say } from '../screen/io.ts';
import { type Imports, importsIn } from './import-place.ts';
import type { Server } from './server-client.ts';

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
