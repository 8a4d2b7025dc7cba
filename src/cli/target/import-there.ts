import { importOperations } from '../../api/operations/imports.ts';
import { BAN_CHECK, LIFTING } from '../../options/ban-options.ts';
import { type Given, textsOf } from '../../options/option.ts';
import {
  GIVING_UP,
  HELD,
  REMOVING,
  REPORTING,
  type RemovingChoices,
  type ReportingChoices,
  STOPPING,
  TRIAL,
  type TrialChoices,
} from '../../options/sending-options.ts';
import { firstSignal } from '../../platform/lifecycle.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { BanFlags } from '../flags/ban-flags.ts';
import type { CreateFlags } from '../flags/create-flags.ts';
import type { SendingFlags } from '../flags/flags.ts';
import { type ListFlags, tagsOf } from '../flags/list-flags.ts';
import type { ExpectRowsFlags, ReadingFlags } from '../flags/reading-flags.ts';
import type { RecipeFlags } from '../flags/recipe-flags.ts';
import type { ShapeFlags } from '../flags/shape-flags.ts';
import type { SourceFlags } from '../flags/source-flags.ts';
import { conclude } from '../screen/conclude.ts';
import { followImport } from '../screen/follow.ts';
import { type Io, say } from '../screen/io.ts';
import type { Imports } from './imports.ts';
import { readingQuery, type Sent, sendFile } from './send-file.ts';
import type { Server, Upload } from './server-client.ts';

/** Imports that a server runs: sent to it, and followed to their end. */

export interface ThereOptions {
  readonly io: Io;
  readonly imports: Imports;
  readonly server: Server;
  readonly json: boolean;
}

type Flags = SourceFlags &
  ReadingFlags &
  BanFlags &
  CreateFlags &
  RecipeFlags &
  ShapeFlags &
  TrialChoices &
  RemovingChoices &
  ReportingChoices &
  Pick<SendingFlags, 'maxErrors' | 'giveUpAfter'> &
  Pick<ListFlags, 'tag'> &
  ExpectRowsFlags &
  Given<typeof HELD> & { readonly detach?: true };

/** Sends a file, or standard input as it comes, to a server, and follows the import. */
export async function importThere(options: ThereOptions, file: string, flags: Flags): Promise<ExitCode> {
  const { io, imports, server, json } = options;
  const sent = await uploadThere(options, file, flags);
  if ('code' in sent) return sent.code;
  const { id } = sent;
  if (flags.detach !== true) return followThere(options, id);
  io.out.write(json ? `${JSON.stringify({ id })}\n` : `${id}\n`);
  say(io, `The server at ${server.url} continues it. Watch it with:`, `  ${imports.command('watch', id)}`);
  return EXIT.ok;
}

/** Sends a file, or standard input as it comes, to a server. Returns the import's id, or the exit code after Ctrl-C. */
export async function uploadThere(options: Omit<ThereOptions, 'json'>, file: string, flags: Flags): Promise<Sent> {
  const { imports, server } = options;
  const query = await queryOf(file, flags);
  const make = async (upload: Upload) => (await server.upload(importOperations.create, query, upload)).id;
  return sendFile({ ...options, file, flags, make, howToSee: imports.command('list') });
}

/** Follows an import that was started for the user; ends as if it had run in this process. Ctrl-C only stops watching. */
export async function followThere({ io, imports, server, json }: ThereOptions, id: string): Promise<ExitCode> {
  const signal = firstSignal(EXIT.stillRunning);
  say(io, `Import ${id} runs on the server at ${server.url}; Ctrl-C leaves it running.`);
  try {
    const end = await followImport(io, imports, id, { signal: signal.signal, begins: true });
    if (end !== 'left') return conclude(imports, io, id, json);
  } finally {
    signal.ignore();
  }
  say(io, '', `Import ${id} continues at ${server.url}. Watch it, or cancel it, with:`);
  say(io, `  ${imports.command('watch', id)}`, `  ${imports.command('cancel', id)}`);
  return EXIT.stillRunning;
}

const SENT = { ...STOPPING, ...GIVING_UP, ...REPORTING, ...LIFTING, ...BAN_CHECK, ...REMOVING, ...TRIAL, ...HELD };

/** The options of the command line as the API takes them; its regions and budgets are the server's. */
async function queryOf(file: string, flags: Flags): Promise<URLSearchParams> {
  const query = readingQuery(file, flags);
  for (const [name, text] of textsOf(SENT, flags)) query.append(name, text);
  const tags = await tagsOf(flags);
  if (tags.length > 0) query.set('tags', tags.join(','));
  return query;
}
