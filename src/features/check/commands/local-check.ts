import { localImports } from '../../../cli/client/data-directory.ts';
import { type Client, handledLocally } from '../../../cli/client/operation-client.ts';
import { coordinate } from '../../../cli/coordinate.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import { followImport, IMPORT_BEGINS, type RunOptions, sayNothingBegan } from '../../../cli/run-import.ts';
import { conclude } from '../../../cli/screen/conclude.ts';
import { typedCommand } from '../../../cli/typed-command.ts';
import { DEFAULT_MAX_CALLS } from '../../../options/sending-options.ts';
import type { DataDir } from '../../../platform/data-dir.ts';
import { checkView } from '../check-view.ts';
import { type Checks, createChecks } from '../checks.ts';
import { checkOperations } from '../operations.ts';
import { concludeCheck } from './check-outcome.ts';
import { checkedLocally } from './checked.ts';
import { makeCheck } from './make-check.ts';

interface RunCheckOptions extends RunOptions {
  /** Calls that may be made without asking. */
  readonly maxCalls: number;
}

/** Has an import read where it is not yet, checks it in this process, shows what it finds, and sends nothing. */
export async function runCheck(options: RunCheckOptions): Promise<ExitCode> {
  const { config, io, json, maxCalls } = options;
  const { callsPerMinute } = config;
  let id: string | undefined;
  let staged = false;
  let fault: unknown;
  const howToContinue = () => (id === undefined ? [] : ['Continue with:', `  ${typedCommand(config, 'check', id)}`]);
  const failure = await coordinate({ ...options, howToContinue }, async (here) => {
    const { coordinator, dir, service, signal } = here;
    id = await here.begun(options.begin(coordinator, signal), options.begins ?? IMPORT_BEGINS, options.beginLines);
    if (id === undefined) return;
    const checked = id;
    if (coordinator.find(checked).state === 'staging') {
      // Killed while it was read, perhaps.
      coordinator.stage(checked);
      await here.until(coordinator.settled(checked), followImport(io, dir, coordinator, checked));
    }
    if (signal.aborted || (await coordinator.settled(checked)).state === 'rejected') return;
    staged = true;
    const { apps, anybodyActs } = service;
    const checks = createChecks({ dir, coordinator, apps, pace: config, anybodyActs });
    here.onStop(() => checks.stop());
    const imports = { server: undefined, regions: () => coordinator.regions() };
    const made = makeCheck({ io, client: clientOf(checks, dir), imports, id, maxCalls, callsPerMinute, signal });
    await here.until(
      made.catch((error: unknown) => {
        if (!signal.aborted) fault = error;
      }),
      { stop: () => {} },
    );
  });
  if (failure !== undefined) return EXIT.fatal;
  if (fault !== undefined) throw fault;
  if (id === undefined) return sayNothingBegan(io);
  const imports = localImports(config);
  if (!staged) return conclude(imports, io, id, json);
  const { sandbox } = await imports.find(id);
  return concludeCheck({ io, imports, id, json, sandbox, checked: await checkedLocally(config, id) });
}

/** Checks made in this process. */
function clientOf(checks: Checks, dir: DataDir): Client {
  let running: Promise<void> = Promise.resolve();
  const one = async ({ id }: { readonly id: string }) => {
    const isRunning = checks.isRunning(id);
    // Rejects with the error that ended it.
    if (!isRunning) await running;
    const view = await checkView(dir, id, checks);
    if (view === undefined) throw new Error(`the check of ${id} has left no record`);
    return { ...view, underWay: isRunning };
  };
  return handledLocally(checkOperations, {
    begin: async ({ id, maxCalls = DEFAULT_MAX_CALLS }) => {
      const { begun, ended } = checks.start(id, { maxCalls });
      running = ended;
      // `one` rejects with the error.
      running.catch(() => {});
      await begun;
      return one({ id });
    },
    one,
  });
}
