import { type CoordinateOptions, coordinate } from '../../../cli/coordinate.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import { confirm } from '../../../cli/screen/confirm.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { showSteps } from '../../../cli/screen/progress.ts';
import { typedCommand } from '../../../cli/typed-command.ts';
import { openCreated } from '../../../imports/record/created.ts';
import { grouped } from '../../../text/wording.ts';
import { type Deleting, type Deletion, deleteCreated, planDeletions } from '../delete-created.ts';
import { usersOfOthers } from '../used-by-others.ts';
import { linesOf, listed } from './created-things.ts';

interface UndoCreated extends Omit<CoordinateOptions, 'howToContinue'> {
  /** The import that created it; it has finished. */
  readonly id: string;
  /** False: only say what would be deleted. */
  readonly carryOut: boolean;
  /** Whether what the import did is undone. */
  readonly isUndone: boolean;
  /** Does not ask. */
  readonly yes: boolean;
}

/** Says which users and groups of an import may be deleted, asks, and deletes them. */
export async function undoCreated(options: UndoCreated): Promise<ExitCode> {
  const { io, config, id, carryOut, isUndone, yes } = options;
  let code: ExitCode = EXIT.ok;
  const howToContinue = () => ['Continue with:', `  ${typedCommand(config, 'undo', id, '--created', '--apply')}`];
  const failure = await coordinate({ ...options, howToContinue }, async ({ coordinator, dir, signal, begun }) => {
    const ledger = openCreated(dir.ledger(id));
    try {
      const used = usersOfOthers(coordinator);
      const deleting: Deleting = {
        ledger,
        pages: (...which) => coordinator.pages(...which),
        signal,
        usedByOthers: (things) => used(id, things),
      };
      const planned = await begun(planDeletions(deleting, isUndone), 'what may be deleted to be found out');
      const wanted = planned.filter(({ undone }) => undone === undefined);
      tellPlan(io, planned, carryOut);
      // Things that no longer exist were deleted by another program, or by an earlier run that was killed before it
      // noted so.
      const rest = planned.filter(({ undone }) => undone !== 'kept');
      if (!carryOut || rest.length === 0) return;
      if (wanted.length > 0 && !yes && !(await confirm(io, `Delete ${listed(wanted.map(shown))} for good?`, signal))) {
        say(io, 'Nothing was deleted. --yes deletes them without asking.');
        code = EXIT.stopped;
        return;
      }
      let done = 0;
      const progress = showSteps(io, () => [`deleting  ${grouped(done)} of ${grouped(rest.length)}`], {
        begins: 'the deletion to begin',
        regions: () => coordinator.regions(),
      });
      const count = () => {
        done += 1;
      };
      const ended = await deleteCreated(deleting, rest, count).finally(progress.stop);
      const kept = ended.filter(({ undone }) => undone === 'kept');
      say(
        io,
        '',
        `${listed(ended.filter(({ undone }) => undone !== 'kept').map(shown))} deleted.`,
        ...linesOf(kept.map(shown)),
      );
      if (kept.length > 0) code = EXIT.rowsFailed;
    } catch (error) {
      if (!signal.aborted) throw error;
      code = EXIT.interrupted;
    } finally {
      ledger.close();
    }
  });
  return failure === undefined ? code : EXIT.fatal;
}

function tellPlan(io: Io, planned: readonly Deletion[], carryOut: boolean): void {
  if (planned.length === 0) {
    say(io, '', 'The import created nothing that is still there.');
    return;
  }
  const wanted = planned.filter(({ undone }) => undone === undefined);
  const kept = planned.filter(({ undone }) => undone === 'kept');
  const verb = carryOut ? 'To be deleted' : 'Can be deleted, with --apply';
  say(io, '', ...(wanted.length > 0 ? [`${verb}:`, ...linesOf(wanted.map(shown))] : []));
  say(io, ...(kept.length > 0 ? ['Kept:', ...linesOf(kept.map(shown))] : []));
}

function shown({ thing: { kind, region, name }, why }: Deletion) {
  return { kind, region, name, why };
}
