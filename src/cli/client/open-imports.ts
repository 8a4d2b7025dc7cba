import { caOf } from '../../app/ca-file.ts';
import { asFlag } from '../../errors/named-options.ts';
import { badUsage } from '../../errors/rollcall-error.ts';
import { type Config, readConfig } from '../../platform/config.ts';
import { defined } from '../../platform/defined.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { localImports } from './data-directory.ts';
import type { Imports } from './import-place.ts';

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
export async function openImports(flags: CommonFlags): Promise<{ readonly config: Config; readonly imports: Imports }> {
  const config = readConfig(flags);
  if (config.server === undefined) return { config, imports: localImports(config) };
  const local = ONLY_LOCAL.find((name) => name in defined(flags));
  if (local !== undefined) {
    throw badUsage(
      `${asFlag({ option: local })} has no meaning for imports that the server at ${config.server} runs; leave it out, or leave out --server and ROLLCALL_SERVER`,
    );
  }
  // Loaded here, so that commands about a data directory start without an HTTP client.
  const [{ connectToServer }, { importsOf }] = await Promise.all([
    import('./server-client.ts'),
    import('./server-place.ts'),
  ]);
  const { token, server: url } = config;
  const server = connectToServer({ url, token, ca: caOf(config), plainHttp: flags.plainHttp === true });
  const { profileFlag } = config;
  const which = profileFlag === undefined ? '' : ` --profile ${profileFlag}`;
  const flag = `${which}${flags.server === undefined ? '' : ` --server ${config.server}`}`;
  return { config, imports: importsOf(server, flag) };
}
