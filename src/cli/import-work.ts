import { once } from 'node:events';
import { isFinal } from '../membership/import-state.ts';
import { intoOneFile } from '../platform/sqlite.ts';
import { ownImports } from './owner.ts';
import type { Running, Work } from './run.ts';
import { conclude } from './screen/conclude.ts';
import { followImport } from './screen/follow.ts';

export const IMPORT_BEGINS = 'the import to begin';

/** An import that a command begins or continues, and follows to its end. */
export function importWork({ io, imports, json }: Running, importing: Partial<Work> & Pick<Work, 'begin'>): Work {
  return {
    open: (here) => ownImports(here),
    begins: IMPORT_BEGINS,
    ...importing,
    named: (id) => `Import ${id}`,
    follow: async ({ imports, signal, here }, id) => {
      const end = await followImport(io, imports, id, { signal, begins: true });
      if (end === 'left') return 'left';
      // One that ends may still show its state before, while its reports are written.
      const isAborted = signal.aborted || once(signal, 'abort');
      await Promise.race([here?.coordinator.settled(id), here && isAborted]);
      if (here !== undefined && isFinal(here.coordinator.find(id).state)) intoOneFile(here.dir.ledger(id));
      return 'over';
    },
    howToContinue: (id, sandbox) => [
      'Continue with:',
      `  ${imports.command('resume', id)}${sandbox ? ' --sandbox' : ''}`,
    ],
    howToFollow: (id, where) => [
      `Import ${id} continues ${where}. Watch it, or cancel it, with:`,
      `  ${imports.command('watch', id)}`,
      `  ${imports.command('cancel', id)}`,
    ],
    conclude: ({ id }) => conclude(imports, io, id, json),
  };
}
