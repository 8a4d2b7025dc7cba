import { importOperations } from '../api/operations/import-operations.ts';
import { aimOf } from '../app/open-service.ts';
import { reserveImport } from '../imports/import-id.ts';
import { checkInput } from '../imports/read/file-state.ts';
import { BANS } from '../options/ban-options.ts';
import { textsOf } from '../options/option.ts';
import { SENDING } from '../options/sending-options.ts';
import { dataDir } from '../platform/data-dir.ts';
import { fileOperations } from '../server/import-handlers.ts';
import type { Server } from './client/server-client.ts';
import { maxCallsOf } from './flags/check-flags.ts';
import { type ImportFlags, readingQuery } from './flags/import-flags.ts';
import { tagsOf } from './flags/list-flags.ts';
import { IMPORT_BEGINS, importWork } from './import-work.ts';
import { givenFile } from './input-files.ts';
import { type Running, run, sayNothingBegan, type Work } from './run.ts';

type Begin = Pick<Work, 'begin' | 'begins' | 'beginLines'>;

/** Imports a file, or what is at an address or on standard input. */
export async function importFile(running: Running, file: string, flags: ImportFlags) {
  const { server } = running.imports;
  const begin = server === undefined ? await beginHere(running, file, flags) : beginThere(running, server, file, flags);
  if (flags.check) {
    const { checkWork } = await import('../features/check/commands/check-work.ts');
    return run(running, checkWork(running, { ...begin, maxCalls: maxCallsOf(flags) }));
  }
  const work = importWork(running, begin);
  if (flags.detach !== true) return run(running, work);
  const { detached } = await import('./detach.ts');
  return detached(running, work, flags);
}

function beginThere(running: Running, server: Server, file: string, flags: ImportFlags): Begin {
  return {
    begins: IMPORT_BEGINS,
    begin: async ({ signal }) => {
      const { sendFile } = await import('./client/send-file.ts');
      const query = await readingQuery(file, flags);
      const dryRun = flags.check ?? flags.dryRun;
      // Its regions and budgets are the server's.
      for (const [name, text] of textsOf({ ...BANS, ...SENDING }, { ...flags, dryRun })) query.append(name, text);
      const tags = await tagsOf(flags);
      if (tags.length > 0) query.set('tags', tags.join(','));
      const howToSee = running.imports.command('list');
      return sendFile({ ...running, signal, server, file, flags, operation: importOperations.create, query, howToSee });
    },
  };
}

/** Refuses before anything is opened whatever can be known then. */
async function beginHere(running: Running, given: string, flags: ImportFlags): Promise<Begin> {
  const { config, io } = running;
  const { lines, obtain } = await givenFile(running, given, flags, { check: checkInput, mustBeWhole: false });
  const tags = await tagsOf(flags);
  const dir = dataDir(config.dataDir);
  return {
    begins: given === '-' ? 'standard input to end' : IMPORT_BEGINS,
    beginLines: lines,
    begin: async ({ client, signal, here }) => {
      const id = await reserveImport(dir);
      const found = await obtain(dir.folder(id), signal);
      if (found === undefined) return { code: sayNothingBegan(io) };
      const { name: file, source, options, lookups } = found;
      const aimed = { ...options, ...aimOf(config, flags) };
      // Another process of this command sends what this one only reads.
      const start = flags.detach !== true || here === undefined;
      return client.call(fileOperations.create, { id, file, source, options: aimed, tags, lookups, start });
    },
  };
}
