import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ImportView, importOperations } from '../../api/imports.ts';
import { rowOperations } from '../../api/rows.ts';
import { serviceOperations } from '../../api/service.ts';
import { asFlag } from '../../errors/named-options.ts';
import { badUsage, RollcallError } from '../../errors/rollcall-error.ts';
import { targetText } from '../../imports/target.ts';
import { LOOKUP_NAMES, LOOKUPS } from '../../options/lookups.ts';
import { type Config, readConfig } from '../../platform/config.ts';
import { emptyPlace } from '../../platform/data-dir.ts';
import { defined } from '../../platform/defined.ts';
import { isAddress } from '../../text/address-text.ts';
import { shellWord } from '../../text/terminal-text.ts';
import type { CommonFlags, FilterTexts } from '../flags/flags.ts';
import { type Io, say, shortest, typedCommand } from '../screen/io.ts';
import { noImports } from './kept-imports.ts';
import { clientOfDirectory } from './local-client.ts';
import { type Client, entriesOf, unless } from './operation-client.ts';
import type { Server } from './server-client.ts';

const ONLY_LOCAL = [
  ...['dataDir', 'queue', 'withWorkers'],
  // These imply --sandbox.
  ...['sandboxSeed', 'sandboxFaults', 'sandbox'],
  ...['callsPerMinute', 'concurrency', 'perGroup'],
];

/** Those of the server that a flag or setting names, else of the data directory. @throws BAD_SETTING, BAD_USAGE */
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
  const server = connectToServer(config.server, config, flags.plainHttp);
  return { config, imports: importsIn(config, server, server) };
}

/** The imports of the data directory, no matter which process runs them. */
export function localImports(config: Config): Imports {
  return importsIn(config, clientOfDirectory(config.dir));
}

export type Imports = ReturnType<typeof importsIn>;

/** Whether the command itself does what it asks for: there is no server, and no process that owns the data directory. */
export async function isAlone({ server, regions }: Pick<Imports, 'server' | 'regions'>) {
  return server === undefined && (await regions()) === undefined;
}

/** @param server runs the imports. Undefined: this process, or another one on this machine */
export function importsIn(config: Config, client: Client, server?: Server) {
  const { dir } = config;
  const place = () => (server === undefined ? emptyPlace(dir) : `at ${server.url}`);
  const whole = (path: string | null) => path && `${server?.url}${path}`;
  const shown = (view: ImportView): ImportView => {
    if (server === undefined) return view;
    const { all, failed, retry, created } = view.reports;
    const reports = { all: whole(all), failed: whole(failed), retry: whole(retry), created: whole(created) };
    // The server knows by itself whether it sends to a sandbox.
    return { ...view, reports, sandbox: false };
  };
  /** Newest first; reports are paths or whole addresses. @throws NO_IMPORTS where there are none at all */
  const list = async (limit: number, filter: FilterTexts = {}) => {
    const found = await entriesOf(
      'imports',
      (page) => client.call(importOperations.list, { ...filter, ...page }),
      limit,
    );
    if (found.length === 0 && Object.keys(filter).length === 0) throw noImports(place(), server?.url);
    return found.map(shown);
  };
  /** `sandbox`: whether the commands that continue it need `--sandbox`. @throws UNKNOWN_IMPORT */
  const one = async (id: string) => shown(await client.call(importOperations.one, { id }));
  return {
    server,
    client,
    /** Calls a minute of what sends the imports; undefined where a server does not say it. */
    limits: async () => (server === undefined ? config : settingsOf(server)),
    /** Completes "there are no imports …". */
    place,
    /** A command that the user can type, with what leads it to these imports. */
    command: (...words: readonly string[]) => typedCommand(config, ...words),
    /** The folder of an import, for a person to look into. */
    folder: (id: string) =>
      server === undefined ? shortest(dir.folder(id)) : `imports/${id} in the data directory of ${server.url}`,
    /** Reports of a finished import, by purpose; null for one that was not written. */
    files: ({ id, reports: { all, failed, retry, created } }: Pick<ImportView, 'id' | 'reports'>) => {
      const files: [what: string, where: string | null][] = [
        ['every row', all],
        ['to look at', all && server ? `${server.url}/imports/${encodeURIComponent(id)}` : null],
        ['needs attention', failed],
        ['to import again', retry],
        ['created', created],
      ];
      if (server !== undefined) return files;
      for (const name of LOOKUP_NAMES) {
        const { field, unknown } = LOOKUPS[name];
        const path = join(dir.folder(id), unknown);
        if (existsSync(path)) files.push([`${field.toUpperCase()}s to fill in`, path]);
      }
      return files.map(([what, path]): (typeof files)[number] => [what, path && shortest(path)]);
    },
    /** Says before anything is sent where it goes; a process of this machine says so when it begins. */
    saySendsTo: async (io: Io) => {
      const settings = server && (await settingsOf(server));
      if (settings === undefined) return;
      const { sandbox, profile, host, apps } = settings;
      const ids = Object.fromEntries(Object.entries(apps).map(([region, { appId }]) => [region, appId]));
      const text = sandbox ? 'a sandbox' : targetText({ profile: profile ?? undefined, host, apps: ids });
      say(io, `The server at ${server?.url} sends to ${text}.`);
    },
    /** The state of the regions; undefined where no process runs imports. */
    regions: async () => (await unless('NO_OWNER', client.call(serviceOperations.regions, {})))?.regions,
    one,
    list,
    /** The import with this id, or the latest one. @throws NO_IMPORTS, UNKNOWN_IMPORT */
    find: async (id: string | undefined) => (id === undefined ? ((await list(1))[0] as ImportView) : one(id)),
    /** Its rows that need attention, by outcome and code. */
    problems: async (id: string) =>
      (await unless('NO_ROWS_YET', client.call(rowOperations.problems, { id })))?.problems ?? [],
  };
}

/** Says how the rows of an import that need attention are corrected; nothing where there are none. */
export function correcting(imports: Imports, found: ImportView, said: (file: string) => string) {
  const [, file = null] = imports.files(found).find(([what]) => what === 'needs attention') ?? [];
  if (file === null) return [];
  const retry = imports.command('retry', found.id, '--edits', isAddress(file) ? 'FILE' : shellWord(file));
  return [said(file), `  ${retry}${found.sandbox ? ' --sandbox' : ''}`];
}

/** The settings of a server. One that does not say them may still be asked for more. */
function settingsOf(server: Server) {
  return server.call(serviceOperations.settings, {}).catch((error: unknown) => {
    if (error instanceof RollcallError && error.exit === 2) return undefined;
    throw error;
  });
}
