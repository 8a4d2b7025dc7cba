import { askedHere } from '../../../cli/audit.ts';
import { localImports } from '../../../cli/client/data-directory.ts';
import { handledLocally } from '../../../cli/client/local-client.ts';
import { coordinate } from '../../../cli/coordinate.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import { followImport, IMPORT_BEGINS, type RunOptions, sayNothingBegan } from '../../../cli/run-import.ts';
import { conclude } from '../../../cli/screen/conclude.ts';
import { typedCommand } from '../../../cli/typed-command.ts';
import { createChecks } from '../checks.ts';
import { checkOperations } from '../operations.ts';
import { checkHandlers } from '../routes.ts';
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
    const imports = { server: undefined, regions: () => coordinator.regions.status() };
    const onError = (error: unknown) => {
      if (!signal.aborted) fault = error;
    };
    const handlers = checkHandlers({ coordinator, dir, checks, onError });
    const client = handledLocally(checkOperations, handlers, askedHere(dir, coordinator.sendsTo));
    const made = makeCheck({ io, client, imports, id, maxCalls, callsPerMinute, signal });
    await here.until(made.catch(onError), { stop: () => {} });
  });
  if (failure !== undefined) return EXIT.fatal;
  if (fault !== undefined) throw fault;
  if (id === undefined) return sayNothingBegan(io);
  const imports = localImports(config);
  if (!staged) return conclude(imports, io, id, json);
  const { sandbox } = await imports.find(id);
  return concludeCheck({ io, imports, id, json, sandbox, checked: await checkedLocally(config, id) });
}
