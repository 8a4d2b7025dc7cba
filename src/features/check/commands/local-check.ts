import { coordinate } from '../../../cli/coordinate.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import { followImport, IMPORT_BEGINS, type RunOptions, sayNothingBegan } from '../../../cli/run-import.ts';
import { conclude } from '../../../cli/screen/conclude.ts';
import { showSteps } from '../../../cli/screen/show-progress.ts';
import { localImports } from '../../../cli/target/data-directory.ts';
import { typedCommand } from '../../../cli/typed-command.ts';
import type { Region } from '../../../membership/membership.ts';
import type { CallsByRegion } from '../check-ledger.ts';
import { createChecks } from '../checks.ts';
import { askToPay, checkLines, concludeCheck } from './check-outcome.ts';
import { checkedLocally } from './checked.ts';

interface RunCheckOptions extends RunOptions {
  /** Calls that may be made without asking. */
  readonly maxCalls: number;
}

/** Has an import read where it is not yet, checks it in this process, shows what it finds, and sends nothing. */
export async function runCheck(options: RunCheckOptions): Promise<ExitCode> {
  const { config, io, json, maxCalls } = options;
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
    const checks = createChecks({
      dir,
      find: (id) => coordinator.find(id),
      pages: (...which) => coordinator.pages(...which),
      regions: new Set(Object.keys(service.apps) as Region[]),
      sendsTo: coordinator.sendsTo,
      callsPerMinute: config.callsPerMinute,
      anybodyActs: service.anybodyActs,
    });
    here.onStop(() => checks.stop());
    const allow = (price: CallsByRegion, calls: number) =>
      askToPay(io, calls, minutesOf(price, config.callsPerMinute), signal);
    const { ended } = checks.start(checked, { maxCalls, allow });
    const progress = showSteps(io, () => checkLines(checks.progress(checked)), {
      begins: 'the check to begin',
      regions: () => coordinator.regions(),
    });
    await here.until(
      ended.catch((error: unknown) => {
        if (!signal.aborted) fault = error;
      }),
      progress,
    );
  });
  if (failure !== undefined) return EXIT.fatal;
  if (fault !== undefined) throw fault;
  if (id === undefined) return sayNothingBegan(io);
  if (!staged) return conclude(localImports(config), io, id, json);
  const imports = localImports(config);
  const { sandbox } = await imports.find(id);
  return concludeCheck({ io, imports, id, json, sandbox, checked: await checkedLocally(config, id) });
}

function minutesOf(price: CallsByRegion, callsPerMinute: number): number {
  return Math.max(0, ...Object.values(price)) / callsPerMinute;
}
