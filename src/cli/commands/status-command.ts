import { Command } from 'commander';
import type { RegionStatus } from '../../api/region-status.ts';
import type { checkStatus } from '../../features/check/commands/check-status.ts';
import { isOnlyRead } from '../../imports/reason-codes.ts';
import { summaryIn } from '../../imports/report/summarize.ts';
import { importTitle, summaryText } from '../../imports/report/summary.ts';
import { targetText } from '../../imports/target.ts';
import { isUnderWay } from '../../membership/import-state.ts';
import { limitWords } from '../../text/pace-words.ts';
import { counted } from '../../text/wording.ts';
import { openImports } from '../client/open-imports.ts';
import { type End, EXIT, type ExitCode } from '../exit-codes.ts';
import { type CommonFlags, type ServerFlags, withDataDir, withJson, withServer } from '../flags/flags.ts';
import { nextSteps } from '../screen/conclude.ts';
import { type Io, print, say } from '../screen/io.ts';
import { noWorker, REGION_REFUSED, rateLimitWait, serviceAway } from '../screen/service-away.ts';

/** `rollcall status`: the outcomes of an import so far, and what its regions wait for. */
export function statusCommand(io: Io, end: End): Command {
  const command = new Command('status').argument('[id]', 'import (default: the latest)');
  return withServer(withDataDir(withJson(command))).action((id: string | undefined, flags: CommonFlags & ServerFlags) =>
    end(status(io, id, flags)),
  );
}

async function status(io: Io, given: string | undefined, flags: CommonFlags & ServerFlags): Promise<ExitCode> {
  const { config, imports } = await openImports(flags);
  const found = await imports.find(given);
  const summary = summaryIn(found);
  const isUnsent = found.state === 'staged' && isOnlyRead(found.code);
  const checked = isUnsent ? await checkOf(config, imports, found) : undefined;
  const regions = isUnderWay(found.state) ? await imports.regions() : undefined;
  const interrupted = regions === undefined && isUnderWay(found.state);
  if (flags.json) {
    const check = checked && { check: checked.document };
    io.out.write(`${JSON.stringify({ ...summary, ...(interrupted && { interrupted }), ...check })}\n`);
    return EXIT.ok;
  }
  // The service's answers count more than the check of the file.
  if (checked?.isDone) io.out.write(`${importTitle(summary, io)}\n`);
  else {
    const { color, width } = io;
    const problems = await imports.problems(found.id);
    print(io, summaryText(summary, { color, width, problems, interrupted }));
  }
  if (summary.target !== undefined) io.out.write(`\n  Service: ${targetText(summary.target)}.\n`);
  const underWay = regions !== undefined && (found.state === 'running' || found.state === 'pausing');
  if (underWay) print(io, `\n${regions.map(regionLine).join('\n')}\n`);
  else if (checked?.isUnderWay) say(io, '', 'The service is being asked which rows would fail; nothing is sent.');
  else if (checked !== undefined) checked.conclude(io);
  else say(io, '', ...nextSteps(imports, found));
  return EXIT.ok;
}

/** Most imports have no check: its part is loaded for those that may. */
async function checkOf(...asked: Parameters<typeof checkStatus>) {
  const check = await import('../../features/check/commands/check-status.ts');
  return check.checkStatus(...asked);
}

function regionLine(status: RegionStatus): string {
  const { region, waiting, active, delayed, setAside, stopped, limitedForMs, workers, key, circuit } = status;
  const parts = [
    workers === 0 ? noWorker(region) : '',
    `${counted(active, 'call')} in flight`,
    `${counted(waiting, 'batch')} queued`,
    setAside > 0 ? `${counted(setAside, 'job')} that cannot be read` : '',
    delayed > 0 ? `${counted(delayed, 'call')} to be retried` : '',
    serviceAway(circuit, true),
    stopped ? REGION_REFUSED : '',
    key === null ? '' : `key ${key}`,
    limitedForMs > 1_500 || (limitedForMs > 0 && active === 0 && waiting > 0) ? rateLimitWait(status, true) : '',
    circuit.state === 'closed' && !stopped ? limitWords(status.pace) : '',
  ];
  return `${region}  ${parts.filter((part) => part !== '').join(', ')}`;
}
