import { importOperations } from '../api/operations/import-operations.ts';
import { BANS } from '../options/ban-options.ts';
import { textsOf } from '../options/option.ts';
import { SENDING } from '../options/sending-options.ts';
import { sendFile } from './client/send-file.ts';
import type { Server, Upload } from './client/server-client.ts';
import type { ImportFlags } from './flags/import-flags.ts';
import { tagsOf } from './flags/list-flags.ts';
import { readingQuery } from './reading-query.ts';
import type { Begun, Doing, Running } from './run.ts';

/** Sends a file, or standard input as it comes, to a server. Returns the import's id, or the exit code after Ctrl-C. */
export async function sendForImport(
  options: Pick<Running, 'config' | 'io' | 'imports'> & Pick<Doing, 'signal'> & { readonly server: Server },
  file: string,
  flags: ImportFlags,
): Promise<Begun> {
  const { imports, server } = options;
  const query = await importQuery(file, flags);
  const make = async (upload: Upload) => (await server.upload(importOperations.create, query, upload)).id;
  return sendFile({ ...options, file, flags, make, howToSee: imports.command('list') });
}

/** The options of the command line as the API takes them; its regions and budgets are the server's. */
async function importQuery(file: string, flags: ImportFlags): Promise<URLSearchParams> {
  const query = await readingQuery(file, flags);
  for (const [name, text] of textsOf({ ...BANS, ...SENDING }, flags)) query.append(name, text);
  const tags = await tagsOf(flags);
  if (tags.length > 0) query.set('tags', tags.join(','));
  return query;
}
