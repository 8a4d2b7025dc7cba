import type { Edits } from '../features/repair/commands/retry-edits.ts';
import { firstSignal } from '../platform/lifecycle.ts';
import type { RemoteOptions } from './client/import-place.ts';
import { sendForImport } from './client/send-file.ts';
import type { Server } from './client/server-client.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { maxCallsOf } from './flags/check-flags.ts';
import type { ImportFlags } from './flags/import-flags.ts';
import { type ImportRuns, retryRows } from './import-runs.ts';
import { conclude } from './screen/conclude.ts';
import { followImport } from './screen/follow.ts';
import { type Io, say } from './screen/io.ts';

/** Imports that a server runs: sent to it, and followed to their end. */
export function remoteImportRuns(options: RemoteOptions): ImportRuns {
  const { io, imports, server } = options;
  return {
    file: async (file, flags) => {
      if (!flags.check) return importFile(options, file, flags);
      const { sendAndCheck } = await import('../features/check/commands/remote-check.ts');
      return sendAndCheck(options, file, flags, maxCallsOf(flags));
    },
    retry: async (id, again) => {
      const { edits, nothingBegan } = again;
      await imports.saySendsTo(io);
      const made = edits === undefined ? await retryRows(server, id, again) : await sendEdits(server, edits, io);
      return made === undefined ? nothingBegan() : follow(options, made);
    },
  };
}

async function sendEdits(server: Server, edits: Edits, io: Io): Promise<string | undefined> {
  const { sendEditsTo } = await import('../features/repair/commands/retry-edits.ts');
  return sendEditsTo(server, edits, io);
}

/** Sends a file, or standard input as it comes, to a server, and follows the import. */
async function importFile(options: RemoteOptions, file: string, flags: ImportFlags): Promise<ExitCode> {
  const { io, imports, server, json } = options;
  const sent = await sendForImport(options, file, flags);
  if ('code' in sent) return sent.code;
  const { id } = sent;
  if (flags.detach !== true) return follow(options, id);
  io.out.write(json ? `${JSON.stringify({ id })}\n` : `${id}\n`);
  say(io, `The server at ${server.url} continues it. Watch it with:`, `  ${imports.command('watch', id)}`);
  return EXIT.ok;
}

/** Follows an import that was started for the user; ends as if it had run in this process. Ctrl-C only stops watching. */
async function follow({ io, imports, server, json }: RemoteOptions, id: string): Promise<ExitCode> {
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
