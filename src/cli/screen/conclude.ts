import { summaryText } from '../../imports/report/summary.ts';
import { isUnderWay } from '../../membership/import-state.ts';
import { type ExitCode, exitCodeOf } from '../exit-codes.ts';
import type { Imports } from '../target/imports.ts';
import { deliveryLines } from './delivery-lines.ts';
import { type Io, say } from './io.ts';
import { nextSteps } from './next-steps.ts';

/** Prints the result of an import and the next steps; returns its exit code. */
export async function conclude(imports: Imports, io: Io, id: string, json: boolean): Promise<ExitCode> {
  const found = await imports.find(id);
  const { summary, problems } = await imports.findings(found);
  // An import on a server continues; only this command stops watching it.
  const interrupted = !imports.unattended && isUnderWay(found.state);
  const { delivery } = found;
  if (json) io.out.write(`${JSON.stringify({ ...summary, ...(delivery && { delivery }) })}\n`);
  else if (summary.rows.read > 0)
    io.out.write(`\n${summaryText(summary, { color: io.color, width: io.width, problems, interrupted })}`);
  say(io, '', ...nextSteps(imports, found, summary), ...deliveryLines(imports, found));
  return exitCodeOf(found, summary.rows);
}
