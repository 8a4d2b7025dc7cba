import type { ImportSummary } from '../../api/import-summary.ts';
import { summaryIn } from '../../api/import-summary.ts';
import type { ImportView } from '../../api/imports.ts';
import { asFlag } from '../../errors/named-options.ts';
import { isMachineWait, isOnlyRead, type ReasonCode } from '../../imports/reason-codes.ts';
import { summaryText } from '../../imports/report/summary.ts';
import { type ImportState, isFinal, isUnderWay } from '../../membership/import-state.ts';
import { sumOfOutcomes } from '../../membership/outcome.ts';
import { counted, withFullStop } from '../../text/wording.ts';
import { correcting, type Imports } from '../client/imports.ts';
import { exitCodeOf } from '../exit-codes.ts';
import { withCode } from '../refusal.ts';
import { type Io, print, printJson, say } from './io.ts';

/** Prints the result of an import and the next steps; returns its exit code. */
export async function conclude(imports: Imports, io: Io, id: string, json: boolean) {
  const found = await imports.find(id);
  const summary = summaryIn(found);
  // An import on a server continues; only this command stops watching it.
  const interrupted = imports.server === undefined && isUnderWay(found.state);
  if (json) {
    printJson(io, { ...summary, ...(interrupted && { interrupted }) });
  } else if (summary.rows.read > 0) {
    print(io, '\n');
    await printSummary(imports, io, summary, interrupted);
  }
  say(io, '', ...nextSteps(imports, found));
  return exitCodeOf(found);
}

/** Prints what became of an import. One that waits says how long sending it takes, by the limits that there are. */
export async function printSummary(imports: Imports, io: Io, summary: ImportSummary, interrupted: boolean) {
  const { id, state, ways } = summary;
  const { color, width } = io;
  const problems = await imports.problems(id);
  const limits = state === 'staged' && ways !== undefined ? await imports.limits() : undefined;
  print(io, summaryText(summary, { color, width, problems, limits, interrupted }));
}

const BECAUSE: Readonly<Partial<Record<ImportState, string>>> = {
  aborted: 'Stopped',
  rejected: 'Nothing was sent',
  staged: 'Nothing was sent',
  blocked: 'Blocked',
  failed: 'Failed',
};

/** Advice after a command: the reason for the state, the places of its files, and the commands that come next. */
export function nextSteps(imports: Imports, found: ImportView) {
  const { id, state, reason, code, rows } = found;
  const command = (verb: string, rest = '') => `  ${imports.command(verb, id)}${rest}`;
  const because = (what: string) => withCode(withFullStop(`${what}: ${reason}`), code);
  if (code === ('WRONG_SUM' satisfies ReasonCode)) {
    return [
      because('This is a bug in rollcall'),
      'Trust the rows of the report, not the numbers above. Please report this, with the files in:',
      `  ${imports.folder(id)}`,
    ];
  }
  if (isUnderWay(state)) {
    const resume = command('resume', found.sandbox ? ' --sandbox' : '');
    if (imports.server) return ['It continues on the server. Watch it with:', command('watch')];
    if (state === 'cancelling')
      return ['It is being cancelled. If its process was ended meanwhile, finish that with:', resume];
    const kept = sumOfOutcomes(rows) === 0 ? 'nothing is lost' : 'rows that have an outcome keep it';
    return [`Interrupted; ${kept}. Continue with:`, resume];
  }
  const isOnlyToRead = state === 'staged' && (code === undefined || isOnlyRead(code));
  const label = state === 'blocked' && isMachineWait(code ?? null) ? 'Waiting' : BECAUSE[state];
  const files = imports.files(found).flatMap(([what, where]) => (where === null ? [] : `${what.padEnd(16)} ${where}`));
  const look =
    rows.invalid + rows.failed + rows.unconfirmed > 0
      ? ['See what went wrong, row by row:', command('report', ' --status failed,invalid,unconfirmed')]
      : ['See every row:', command('report')];
  const commands = [...(rows.read > 0 ? look : []), ...found.next.flatMap((step) => stepLines(imports, found, step))];
  return [label === undefined || isOnlyToRead ? [] : [because(label)], files, commands]
    .filter((lines) => lines.length > 0)
    .flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]));
}

function stepLines(imports: Imports, found: ImportView, { operation, query = {}, why }: ImportView['next'][number]) {
  if (operation === 'correct') {
    // Before it is over, rows are edited on its page.
    if (!isFinal(found.state)) return [];
    const others = found.rows.unprocessed + found.rows.unconfirmed;
    const beside = others === 0 ? '' : `, with ${counted(others, 'row')} to leave alone`;
    return correcting(imports, found, (file) => `${why}. They are in ${file}${beside}:`);
  }
  const flags = Object.entries(query).map(([option, value]) => asFlag({ option, value }));
  const where = found.sandbox && operation !== 'cancel' ? ['--sandbox'] : [];
  return [`${why}:`, `  ${[imports.command(operation, found.id), ...where, ...flags].join(' ')}`];
}
