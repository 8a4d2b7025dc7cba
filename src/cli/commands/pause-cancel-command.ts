import { Command } from 'commander';
import type { ImportRecord } from '../../imports/catalog.ts';
import { isFinal } from '../../membership/import-state.ts';
import { dataDir } from '../../platform/data-dir.ts';
import type { Imports } from '../client/import-place.ts';
import { openImports } from '../client/open-imports.ts';
import { untilSettled } from '../client/settled.ts';
import { type End, EXIT, type ExitCode } from '../exit-codes.ts';
import {
  type CommonFlags,
  type QueueFlags,
  type ServerFlags,
  withDataDir,
  withJson,
  withQueue,
  withServer,
} from '../flags/flags.ts';
import { conclude } from '../screen/conclude.ts';
import { type Io, say } from '../screen/io.ts';
import { showSteps } from '../screen/show-progress.ts';
import { UsageError } from '../usage-error.ts';

/** `rollcall pause` and `rollcall cancel`: asked of the process that runs the import, or done here when there is none. */
export function pauseCommand(io: Io, end: End): Command {
  return actCommand(io, end, 'pause');
}

export function cancelCommand(io: Io, end: End): Command {
  return actCommand(io, end, 'cancel');
}

function actCommand(io: Io, end: End, verb: 'pause' | 'cancel'): Command {
  const command = new Command(verb).argument('[id]', 'import (default: the latest)');
  return withQueue(withServer(withDataDir(withJson(command)))).action(
    (id: string | undefined, flags: CommonFlags & ServerFlags & QueueFlags) => end(act(io, verb, id, flags)),
  );
}

async function act(
  io: Io,
  verb: 'pause' | 'cancel',
  given: string | undefined,
  flags: CommonFlags & ServerFlags & QueueFlags,
): Promise<ExitCode> {
  const { config, imports } = await openImports(flags);
  const { id, state } = await imports.find(given);
  if (isFinal(state)) throw new UsageError(`import ${id} is ${state}: there is nothing to ${verb}`);
  const answer = await imports.act(id, verb);
  if (answer !== undefined) {
    if (verb === 'cancel' && answer.state === state) return untilCancelled(io, imports, id, flags.json === true);
    if (flags.json) io.out.write(`${JSON.stringify({ id, state: answer.state })}\n`);
    say(io, `Import ${id} is ${answer.state}: ${answer.reason}.`);
    return EXIT.ok;
  }
  const [
    { openLog },
    { composeCoordinator },
    { dispatchOnly, NO_SERVICE },
    { whenLeft },
    { ownImports },
    { importOperations },
  ] = await Promise.all([
    import('../../platform/log.ts'),
    import('../../app/compose.ts'),
    import('../../app/chat-service.ts'),
    import('../../app/owner-socket.ts'),
    import('../owner.ts'),
    import('../../api/operations/import-operations.ts'),
  ]);
  // No process runs it: this one owns the data directory for a moment. Nothing is sent, so it needs no service; but
  // batches may wait in a shared queue, whose name has the app in it.
  const service = config.queue === undefined ? NO_SERVICE : dispatchOnly(config);
  const log = openLog(config.dataDir, config);
  const warn = (text: string) => {
    log.warn(text);
    say(io, `Warning: ${text}.`);
  };
  const dir = dataDir(config.dataDir);
  const coordinator = await whenLeft(dir, () => composeCoordinator({ config, service, log, warn }));
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => {});
  coordinator.events.on('failure', reject);
  let ended: ImportRecord;
  const progress = showSteps(io, () => [], {
    begins: `the import to ${verb}`,
    regions: () => coordinator.regions.status(),
  });
  try {
    await ownImports({ dir, coordinator }).call(importOperations[verb], { id });
    ended = await Promise.race([coordinator.settled(id), failed]);
  } finally {
    progress.stop();
    await coordinator.stop(0);
  }
  await conclude(imports, io, id, flags.json === true);
  return ended.state === 'failed' ? EXIT.fatal : EXIT.ok;
}

/** An import of which nothing is in flight ends at once, as soon as its reports are written. */
async function untilCancelled(io: Io, imports: Imports, id: string, json: boolean): Promise<ExitCode> {
  await untilSettled({
    io,
    imports,
    signal: new AbortController().signal,
    look: () => imports.find(id),
    goesOn: ({ state }) => !isFinal(state),
    linesOf: () => [],
    begins: 'the import to end',
  });
  await conclude(imports, io, id, json);
  return EXIT.ok;
}
