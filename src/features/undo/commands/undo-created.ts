import { serviceOpener } from '../../../app/open-service.ts';
import { coordinate } from '../../../cli/coordinate.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import type { RunningFlags } from '../../../cli/flags/flags.ts';
import { confirm } from '../../../cli/screen/confirm.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { showSteps } from '../../../cli/screen/show-progress.ts';
import type { Imports } from '../../../cli/target/import-place.ts';
import type { Server } from '../../../cli/target/server-client.ts';
import { untilSettled } from '../../../cli/target/settled.ts';
import { openCreated } from '../../../imports/record/created.ts';
import type { Config } from '../../../platform/config.ts';
import { firstSignal } from '../../../platform/lifecycle.ts';
import { grouped, withFullStop } from '../../../text/wording.ts';
import type { CreatedView } from '../api.ts';
import { type Deleting, type Deletion, deleteCreated, planDeletions } from '../delete-created.ts';
import { createdOperations } from '../operations.ts';
import { usersOfOthers } from '../used-by-others.ts';
import { linesOf, listed } from './created-things.ts';

interface UndoCreated {
  readonly io: Io;
  readonly config: Config;
  readonly imports: Imports;
  /** The import that created it; it has finished. */
  readonly id: string;
  /** Whether what the import did is undone. */
  readonly isUndone: boolean;
  readonly flags: RunningFlags & {
    /** Not given: only say what would be deleted. */
    readonly apply?: true;
    /** Does not ask. */
    readonly yes?: true;
  };
}

type Thing = Pick<CreatedView['things'][number], 'kind' | 'region' | 'name' | 'why'>;

/** Users and groups that an import created and that are to be looked at. */
interface Found {
  readonly wanted: readonly Thing[];
  readonly kept: readonly Thing[];
  /** Those that others have deleted, which is still to be noted. */
  readonly gone: number;
  /** Said of those that may be deleted. */
  readonly unless: string;
  /** Ends the question. */
  readonly signal: AbortSignal;
  /** Deletes them. `reason` says why it ended early; undefined: it goes on without this command, as was said. */
  remove(): Promise<
    { readonly deleted: readonly Thing[]; readonly kept: readonly Thing[]; reason: string } | undefined
  >;
}

/** Says which users and groups of an import may be deleted, asks, and deletes them. */
export function undoCreated(options: UndoCreated): Promise<ExitCode> {
  const { server } = options.imports;
  return server === undefined ? inProcess(options) : atServer(options, server);
}

function howToContinue({ imports, id }: UndoCreated): readonly string[] {
  return ['Continue with:', `  ${imports.command('undo', id, '--created', '--apply')}`];
}

async function removeAsChosen(options: UndoCreated, found: Found): Promise<ExitCode> {
  const { io, flags } = options;
  const { wanted, kept, gone, signal } = found;
  if (wanted.length + kept.length + gone === 0) {
    say(io, '', 'Nothing that this import created still exists.');
    return EXIT.ok;
  }
  const verb = `${flags.apply ? 'To be deleted' : 'Can be deleted, with --apply'}${found.unless}:`;
  say(io, '', ...(wanted.length > 0 ? [verb, ...linesOf(wanted)] : []));
  say(io, ...(kept.length > 0 ? ['Kept:', ...linesOf(kept)] : []));
  if (!flags.apply || wanted.length + gone === 0) return EXIT.ok;
  if (wanted.length > 0 && !flags.yes && !(await confirm(io, `Delete ${listed(wanted)} for good?`, signal))) {
    say(io, 'Nothing was deleted. --yes deletes them without asking.');
    return EXIT.stopped;
  }
  const ended = await found.remove();
  if (ended === undefined) return EXIT.stillRunning;
  say(io, '', `${listed(ended.deleted)} deleted.`, ...linesOf(ended.kept));
  if (ended.reason !== '') {
    say(io, withFullStop(`Stopped: ${ended.reason}`), ...howToContinue(options));
    return EXIT.stopped;
  }
  return ended.kept.length > 0 ? EXIT.rowsFailed : EXIT.ok;
}

/** Asks the service about them, and deletes them, in this process. */
async function inProcess(options: UndoCreated): Promise<ExitCode> {
  const { io, config, id, isUndone, flags } = options;
  let code: ExitCode = EXIT.ok;
  const coordinating = {
    config,
    io,
    openService: serviceOpener(config, flags),
    howToContinue: () => howToContinue(options),
  };
  const failure = await coordinate(coordinating, async ({ coordinator, dir, signal, begun }) => {
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
      // Things that no longer exist were deleted by another program, or by an earlier run that was killed before it
      // noted so.
      const rest = planned.filter(({ undone }) => undone !== 'kept');
      const wanted = rest.filter(({ undone }) => undone === undefined);
      code = await removeAsChosen(options, {
        wanted: wanted.map(shown),
        kept: keptOf(planned),
        gone: rest.length - wanted.length,
        unless: '',
        signal,
        remove: async () => {
          let done = 0;
          const progress = showSteps(io, () => [`deleting  ${grouped(done)} of ${grouped(rest.length)}`], {
            begins: 'the deletion to begin',
            regions: () => coordinator.regions(),
          });
          const count = () => {
            done += 1;
          };
          const ended = await deleteCreated(deleting, rest, count).finally(progress.stop);
          const deleted = ended.filter(({ undone }) => undone !== 'kept').map(shown);
          return { deleted, kept: keptOf(ended), reason: '' };
        },
      });
    } catch (error) {
      if (!signal.aborted) throw error;
      code = EXIT.interrupted;
    } finally {
      ledger.close();
    }
  });
  return failure === undefined ? code : EXIT.fatal;
}

function keptOf(deletions: readonly Deletion[]): readonly Thing[] {
  return deletions.filter(({ undone }) => undone === 'kept').map(shown);
}

function shown({ thing: { kind, region, name }, why }: Deletion): Thing {
  return { kind, region, name, why };
}

/** Has a server delete them, which asks about each just before. Ctrl-C only stops watching. */
async function atServer(options: UndoCreated, server: Server): Promise<ExitCode> {
  const { io, imports, id } = options;
  const look = () => server.call(createdOperations.list, { id });
  const present = (await look()).things.filter(
    ({ outcome, undone }) => outcome === 'created' && (undone === null || undone === 'kept'),
  );
  const { wanted = [], used = [] } = Object.groupBy(present, ({ isUsed }) => (isUsed ? 'used' : 'wanted'));
  const signal = firstSignal(EXIT.stillRunning);
  const remove: Found['remove'] = async () => {
    await server.call(createdOperations.remove, { id });
    const { progress, reason, things } = await untilSettled({
      io,
      imports,
      signal: signal.signal,
      look,
      goesOn: (view) => view.progress !== null,
      linesOf: (view) =>
        view.progress ? [`deleting  ${grouped(view.progress.done)} of ${grouped(view.progress.of)}`] : [],
      begins: 'the deletion to begin',
    });
    if (progress !== null) {
      const [, command = ''] = howToContinue(options);
      say(io, '', `${server.url} continues to delete them. See what comes of it with:`, command);
      return undefined;
    }
    const names = new Set(wanted.map(nameOf));
    const ended = things.filter((thing) => names.has(nameOf(thing)));
    return {
      deleted: ended.filter(({ undone }) => undone === 'deleted' || undone === 'gone'),
      kept: ended.filter(({ undone }) => undone === 'kept'),
      reason,
    };
  };
  try {
    const unless = ', unless others use them';
    return await removeAsChosen(options, { wanted, kept: used, gone: 0, unless, signal: signal.signal, remove });
  } finally {
    signal.ignore();
  }
}

function nameOf({ kind, region, name }: Thing): string {
  return `${kind} ${region} ${name}`;
}
