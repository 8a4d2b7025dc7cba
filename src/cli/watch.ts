import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { type ImportReader, openImportReader } from '../ledger/reading.ts';
import { firstSignal } from '../lifecycle.ts';
import { isUnderWay } from '../membership/import-state.ts';
import { askRegions } from '../pipeline/control.ts';
import { dataDir } from '../pipeline/data-dir.ts';
import { findImport } from './data.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type CommonFlags, wholeNumber, withDataDir, withJson } from './flags.ts';
import { type Io, say } from './io.ts';
import { showProgress } from './progress.ts';
import { conclude } from './run-import.ts';

type Flags = CommonFlags & { readonly timeout?: number };

const LOOK_MS = 250;
/** Time that a process gets to answer, in ms. */
const APPEAR_MS = 8_000;

/** `rollcall watch`: follows an import that another process runs, to its end. */
export function watchCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('watch')
    .description('follow an import that runs in another process; ends as `import` would')
    .argument('[id]', 'import (default: the latest)')
    .option('--timeout <seconds>', 'stop watching after this time, with exit code 6', wholeNumber(1, 10_000_000));
  return withDataDir(withJson(command)).action((id: string | undefined, flags: Flags) => end(watch(io, id, flags)));
}

async function watch(io: Io, given: string | undefined, flags: Flags): Promise<ExitCode> {
  const config = readConfig(flags);
  const dir = dataDir(config.dataDir);
  const { id } = findImport(config.dataDir, given);
  const state = () => findImport(config.dataDir, id).state;
  let reader: ImportReader | undefined;
  if (isUnderWay(state())) {
    say(io, `Watching import ${id}; Ctrl-C ends the look, not the import.`);
  }
  const progress = showProgress(io, {
    tallies: () => {
      if (reader === undefined && existsSync(dir.ledger(id))) reader = openImportReader(dir.ledger(id));
      return reader?.tallies();
    },
    staging: () => undefined,
    regions: async () => (await askRegions(dir)) ?? [],
  });
  const signal = firstSignal(EXIT.ok);
  const until = performance.now() + (flags.timeout ?? Number.POSITIVE_INFINITY) * 1000;
  let seenAt = performance.now();
  while (!signal.signal.aborted && isUnderWay(state())) {
    if ((await askRegions(dir)) !== undefined) seenAt = performance.now();
    // Nobody runs it: it was interrupted. A process that was just started is given a moment until it answers.
    else if (performance.now() - seenAt > APPEAR_MS) break;
    if (performance.now() >= until) break;
    await sleep(LOOK_MS, undefined, { signal: signal.signal }).catch(() => {});
  }
  progress.stop();
  reader?.close();
  signal.ignore();
  if (!isUnderWay(state())) return conclude(config, io, id, flags.json === true);
  if (signal.signal.aborted) {
    say(io, '', `Import ${id} goes on; this was only a look at it.`);
    return EXIT.ok;
  }
  if (performance.now() >= until) {
    say(io, '', `The wait ran out; import ${id} goes on. Look again with:`, `  ${config.command} watch ${id}`);
    return EXIT.stillRunning;
  }
  return conclude(config, io, id, flags.json === true);
}
