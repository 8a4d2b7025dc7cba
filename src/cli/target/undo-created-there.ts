import { setTimeout as sleep } from 'node:timers/promises';
import { type CreatedView, createdView } from '../../api/created.ts';
import { firstSignal } from '../../platform/lifecycle.ts';
import { grouped, withFullStop } from '../../text/wording.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { confirm } from '../screen/confirm.ts';
import { linesOf, listed } from '../screen/created-things.ts';
import { type Io, say } from '../screen/io.ts';
import { showSteps } from '../screen/progress.ts';
import { type Imports, importAddress } from './imports.ts';
import { regionsThere } from './remote-imports.ts';
import type { Server } from './server-client.ts';

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

const LOOK_MS = 250;

/** Has a server delete the users and groups that an import created, and shows what it deleted. Ctrl-C only stops watching. */
export async function undoCreatedThere(options: UndoCreatedThere): Promise<ExitCode> {
  const { io, imports, server, id, carryOut, yes } = options;
  const address = `${importAddress(id)}/created`;
  const howToContinue = `  ${imports.command('undo', id, '--created', '--apply')}`;
  const there = (await server.get(address, createdView)).things.filter(isThere);
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
    await server.remove(address);
    const { progress, reason, things } = await untilDeleted(options, address, signal.signal);
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

/** Looks until nothing is being deleted, or the signal comes. */
async function untilDeleted(
  { io, server }: UndoCreatedThere,
  address: string,
  signal: AbortSignal,
): Promise<CreatedView> {
  let view = await server.get(address, createdView);
  const linesNow = () =>
    view.progress === null ? [] : [`deleting  ${grouped(view.progress.done)} of ${grouped(view.progress.of)}`];
  const progress = showSteps(io, linesNow, { begins: 'the deletion to begin', regions: () => regionsThere(server) });
  try {
    while (view.progress !== null && !signal.aborted) {
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
      view = await server.get(address, createdView);
    }
    return view;
  } finally {
    progress.stop();
  }
}
