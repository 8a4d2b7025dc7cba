import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import { confirm } from '../../../cli/screen/confirm.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import type { Imports } from '../../../cli/target/imports.ts';
import type { Server } from '../../../cli/target/server-client.ts';
import { untilSettled } from '../../../cli/target/settled.ts';
import { firstSignal } from '../../../platform/lifecycle.ts';
import { grouped, withFullStop } from '../../../text/wording.ts';
import type { CreatedView } from '../api.ts';
import { createdOperations } from '../operations.ts';
import { linesOf, listed } from './created-things.ts';

interface UndoCreatedThere {
  readonly io: Io;
  readonly imports: Imports;
  readonly server: Server;
  /** The import that created it; it has finished. */
  readonly id: string;
  /** False: only say what would be deleted. */
  readonly carryOut: boolean;
  /** Does not ask. */
  readonly yes: boolean;
}

/** Has a server delete the users and groups that an import created, and shows what it deleted. Ctrl-C only stops watching. */
export async function undoCreatedThere(options: UndoCreatedThere): Promise<ExitCode> {
  const { io, imports, server, id, carryOut, yes } = options;
  const howToContinue = `  ${imports.command('undo', id, '--created', '--apply')}`;
  const there = (await server.call(createdOperations.list, { id })).things.filter(isThere);
  if (there.length === 0) {
    say(io, '', 'The import created nothing that is still there.');
    return EXIT.ok;
  }
  const { wanted = [], used = [] } = Object.groupBy(there, ({ isUsed }) => (isUsed ? 'used' : 'wanted'));
  const verb = `${carryOut ? 'To be deleted' : 'Can be deleted, with --apply'}, unless others use them:`;
  say(io, '', ...(wanted.length > 0 ? [verb, ...linesOf(wanted)] : []));
  say(io, ...(used.length > 0 ? ['Kept:', ...linesOf(used)] : []));
  if (!carryOut || wanted.length === 0) return EXIT.ok;
  const signal = firstSignal(EXIT.stillRunning);
  try {
    if (!yes && !(await confirm(io, `Delete ${listed(wanted)} for good?`, signal.signal))) {
      say(io, 'Nothing was deleted. --yes deletes them without asking.');
      return EXIT.stopped;
    }
    await server.call(createdOperations.remove, { id });
    const { progress, reason, things } = await untilSettled({
      ...{ io, server, signal: signal.signal },
      look: () => server.call(createdOperations.list, { id }),
      goesOn: (view) => view.progress !== null,
      linesOf: (view) =>
        view.progress ? [`deleting  ${grouped(view.progress.done)} of ${grouped(view.progress.of)}`] : [],
      begins: 'the deletion to begin',
    });
    if (progress !== null) {
      say(io, '', `${server.url} continues to delete them. See what comes of it with:`, howToContinue);
      return EXIT.stillRunning;
    }
    const names = new Set(wanted.map(nameOf));
    const ended = things.filter((thing) => names.has(nameOf(thing)));
    const kept = ended.filter(({ undone }) => undone === 'kept');
    const gone = ended.filter(({ undone }) => undone === 'deleted' || undone === 'gone');
    say(io, '', `${listed(gone)} deleted.`, ...linesOf(kept));
    if (reason !== '') {
      say(io, withFullStop(`Stopped: ${reason}`), 'Continue with:', howToContinue);
      return EXIT.stopped;
    }
    return kept.length > 0 ? EXIT.rowsFailed : EXIT.ok;
  } finally {
    signal.ignore();
  }
}

type Thing = CreatedView['things'][number];

function isThere({ outcome, undone }: Thing): boolean {
  return outcome === 'created' && (undone === null || undone === 'kept');
}

function nameOf({ kind, region, name }: Thing): string {
  return `${kind} ${region} ${name}`;
}
