import { Command } from 'commander';
import { isUnderWay } from '../../membership/import-state.ts';
import { firstSignal } from '../../platform/lifecycle.ts';
import { openImports } from '../client/open-imports.ts';
import { type End, EXIT, type ExitCode } from '../exit-codes.ts';
import { type CommonFlags, type ServerFlags, wholeNumber, withDataDir, withJson, withServer } from '../flags/flags.ts';
import { conclude } from '../screen/conclude.ts';
import { followImport } from '../screen/follow.ts';
import { type Io, say } from '../screen/io.ts';

type Flags = CommonFlags & ServerFlags & { readonly timeout?: number };

/** `rollcall watch`: follows an import that another process or a server runs, to its end. */
export function watchCommand(io: Io, end: End): Command {
  const command = new Command('watch')
    .argument('[id]', 'import (default: the latest)')
    .option('--timeout <seconds>', 'stop watching after this time, with exit code 6', wholeNumber(1, 10_000_000));
  return withServer(withDataDir(withJson(command))).action((id: string | undefined, flags: Flags) =>
    end(watch(io, id, flags)),
  );
}

async function watch(io: Io, given: string | undefined, { timeout, ...flags }: Flags): Promise<ExitCode> {
  const { imports } = await openImports(flags);
  const { id, state } = await imports.find(given);
  const signal = firstSignal(EXIT.stillRunning);
  if (isUnderWay(state)) say(io, `Watching import ${id}; Ctrl-C stops watching, not the import.`);
  try {
    const limit = timeout === undefined ? {} : { timeoutMs: timeout * 1000 };
    switch (await followImport(io, imports, id, { signal: signal.signal, ...limit })) {
      case 'left':
        say(io, '', `Import ${id} continues; you only stopped watching it.`);
        return EXIT.stillRunning;
      case 'late':
        say(
          io,
          '',
          `Timed out waiting; import ${id} continues. Watch it again with:`,
          `  ${imports.command('watch', id)}`,
        );
        return EXIT.stillRunning;
      case 'over':
      case 'abandoned':
        return await conclude(imports, io, id, flags.json === true);
    }
  } finally {
    signal.ignore();
  }
}
