import { Command } from 'commander';
import { importOperations } from '../../api/operations/import-operations.ts';
import { isFinal } from '../../membership/import-state.ts';
import type { Imports } from '../client/import-place.ts';
import { openImports } from '../client/open-imports.ts';
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
import { importWork } from '../import-work.ts';
import { run, type Work } from '../run.ts';
import { conclude } from '../screen/conclude.ts';
import { followSteps } from '../screen/follow.ts';
import { type Io, say } from '../screen/io.ts';
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
  const answer = await imports.ask(importOperations[verb], { id });
  if (answer !== undefined) {
    if (verb === 'cancel' && answer.state === state) return untilCancelled(io, imports, id, flags.json === true);
    if (flags.json) io.out.write(`${JSON.stringify({ id, state: answer.state })}\n`);
    say(io, `Import ${id} is ${answer.state}: ${answer.reason}.`);
    return EXIT.ok;
  }
  // Nothing is sent, so it needs no service; but batches may wait in a shared queue, whose name has the app in it.
  const { dispatchOnly, NO_SERVICE } = await import('../../app/chat-service.ts');
  const service = config.queue === undefined ? NO_SERVICE : dispatchOnly(config);
  const running = { config, io, imports, openService: async () => ({ ...service, close: async () => {} }) };
  const work = importWork(running, {
    json: flags.json === true,
    begins: `the import to ${verb}`,
    begin: async ({ client }) => client.call(importOperations[verb], { id }),
  });
  const conclude: Work['conclude'] = async (ended) => {
    await work.conclude(ended);
    return (await imports.find(id)).state === 'failed' ? EXIT.fatal : EXIT.ok;
  };
  return run(running, { ...work, conclude });
}

/** An import of which nothing is in flight ends at once, as soon as its reports are written. */
async function untilCancelled(io: Io, imports: Imports, id: string, json: boolean): Promise<ExitCode> {
  await followSteps({
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
