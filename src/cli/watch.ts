import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { type ImportReader, openImportReader } from '../ledger/reading.ts';
import { firstSignal } from '../lifecycle.ts';
import { type ImportState, isFinal } from '../membership/import-state.ts';
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
const AT_REST: ReadonlySet<ImportState> = new Set(['staged', 'paused', 'blocked']);

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
  const progress = showProgress(io, {
    tallies: () => {
      if (state() === 'staging' || state() === 'rejected') return undefined;
      reader ??= openImportReader(dir.ledger(id));
      return reader.tallies();
    },
    staging: () => undefined,
    regions: async () => (await askRegions(dir)) ?? [],
  });
  const signal = firstSignal(EXIT.ok);
  let stopped = false;
  void signal.arrived.then(() => {
    stopped = true;
  });
  const until = performance.now() + (flags.timeout ?? Number.POSITIVE_INFINITY) * 1000;
  let timedOut = false;
  let abandoned = false;
  while (!stopped && !timedOut && !abandoned && !isFinal(state()) && !AT_REST.has(state())) {
    await sleep(LOOK_MS);
    timedOut = performance.now() >= until;
    // Nobody runs it: it was interrupted, or is about to be picked up by the process that was just started.
    abandoned = (await askRegions(dir)) === undefined && !(await appearsSoon(() => askRegions(dir)));
  }
  progress.stop();
  reader?.close();
  signal.ignore();
  if (stopped) {
    say(io, '', `Import ${id} goes on; this was only a look at it.`);
    return EXIT.ok;
  }
  if (timedOut && !isFinal(state())) {
    say(io, '', `The wait ran out; import ${id} goes on. Look again with:`, `  ${config.command} watch ${id}`);
    return EXIT.stillRunning;
  }
  return conclude(config, io, id, flags.json === true);
}

/** A process that was just started needs a moment until it answers. */
const APPEAR_MS = 8_000;

async function appearsSoon(ask: () => Promise<unknown>): Promise<boolean> {
  const until = performance.now() + APPEAR_MS;
  while (performance.now() < until) {
    if ((await ask()) !== undefined) return true;
    await sleep(LOOK_MS);
  }
  return false;
}
