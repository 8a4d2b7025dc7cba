import { Command } from 'commander';
import { summaryIn } from '../../api/import-summary.ts';
import { importOperations } from '../../api/imports.ts';
import { isError, RollcallError } from '../../errors/rollcall-error.ts';
import { isOnlyRead } from '../../imports/reason-codes.ts';
import { importTitle } from '../../imports/report/summary.ts';
import { targetText } from '../../imports/target.ts';
import { isFinal, isUnderWay } from '../../membership/import-state.ts';
import { FULFILLED, sumOfOutcomes } from '../../membership/outcome.ts';
import { waitTime } from '../../platform/allowed-values.ts';
import { firstSignal } from '../../platform/lifecycle.ts';
import { asSentence, grouped, printable } from '../../text/wording.ts';
import type { Imports } from '../client/imports.ts';
import { openImports } from '../client/imports.ts';
import { remedyFor, unless } from '../client/operation-client.ts';
import { type Action, EXIT } from '../exit-codes.ts';
import {
  type CommonFlags,
  filterTexts,
  type ListFlags,
  ofFlag,
  tagsOf,
  valueOfFlag,
  wholeNumber,
  withJson,
  withListFilter,
  withQueue,
  withServer,
} from '../flags/flags.ts';
import type { Work } from '../run.ts';
import { conclude, nextSteps, printSummary } from '../screen/conclude.ts';
import { followImport, followSteps } from '../screen/follow.ts';
import { type Io, print, printJson, printTable, say } from '../screen/io.ts';
import { regionLine } from '../screen/show-progress.ts';

type WatchFlags = CommonFlags & {
  /** In ms. */
  readonly timeout?: number;
};
type TagFlags = CommonFlags & { readonly remove?: true };
type ListedFlags = CommonFlags & ListFlags & { readonly limit: number };

function aboutImport(name: string) {
  const command = new Command(name).argument('[id]', 'import (default: the latest)');
  return withServer(withJson(command));
}

/** `rollcall pause` and `rollcall cancel`: asked of the process that runs the import, or done here when there is none. */
export function pauseCommand(action: Action) {
  return actCommand(action, 'pause');
}

export function cancelCommand(action: Action) {
  return actCommand(action, 'cancel');
}

function actCommand(action: Action, verb: 'pause' | 'cancel') {
  const acting = (io: Io, id: string | undefined, flags: CommonFlags) => act(io, verb, id, flags);
  return withQueue(aboutImport(verb)).action(action(acting));
}

async function act(io: Io, verb: 'pause' | 'cancel', given: string | undefined, flags: CommonFlags) {
  const { config, imports } = await openImports(flags);
  const { id, state } = await imports.find(given);
  if (isFinal(state))
    throw new RollcallError('WRONG_STATE', { what: `import ${id} is ${state}: there is nothing to ${verb}` });
  const answer = await unless('NO_OWNER', imports.client.call(importOperations[verb], { id }));
  if (answer !== undefined) {
    if (verb === 'cancel' && answer.state === state) return untilCancelled(io, imports, id, flags.json === true);
    if (flags.json) printJson(io, { id, state: answer.state });
    say(io, `Import ${id} is ${answer.state}: ${answer.reason}.`);
    return EXIT.ok;
  }
  const [{ dispatchOnly, NO_SERVICE }, { importWork, run }] = await Promise.all([
    import('../../app/chat-service.ts'),
    import('../run.ts'),
  ]);
  // Nothing is sent, so it needs no service; but batches may wait in a shared queue, whose name has the app in it.
  const service = config.queue === undefined ? NO_SERVICE : dispatchOnly(config);
  const openService = async () => ({ ...service, close: async () => {} });
  const running = { config, io, imports, openService, json: flags.json === true };
  const acting: Pick<Work, 'begin' | 'begins'> = {
    begins: `the import to ${verb}`,
    begin: async ({ client }) => client.call(importOperations[verb], { id }),
  };
  const work = importWork(running, acting, null);
  const conclude: Work['conclude'] = async (ended) => {
    await work.conclude(ended);
    return (await imports.find(id)).state === 'failed' ? EXIT.fatal : EXIT.ok;
  };
  return run(running, { ...work, conclude });
}

/** An import of which nothing is in flight ends at once, as soon as its reports are written. */
async function untilCancelled(io: Io, imports: Imports, id: string, json: boolean) {
  await followSteps({
    id,
    io,
    imports,
    signal: new AbortController().signal,
    look: () => imports.find(id),
    goesOn: ({ state }) => !isFinal(state),
    linesOf: () => [],
    begins: 'the import to end',
  });
  await conclude(imports, io, id, json);
  return EXIT.ok;
}

/** A bit less than a timer can wait, in ms. */
const MAX_WATCH_MS = 2_000_000_000;

const watchTime = valueOfFlag<number>({
  allowed: 'a time of at most 23 days, such as 30s, 5m or 1h, or a number of seconds',
  parse: (text, name) => {
    const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : (waitTime.parse(text, name) ?? 0);
    return ms > 0 && ms <= MAX_WATCH_MS ? ms : undefined;
  },
});

/** `rollcall watch`: follows an import that another process or a server runs, to its end. */
export function watchCommand(action: Action) {
  return aboutImport('watch')
    .option(
      '--timeout <time>',
      'stop watching after this time, such as 30s or 5m, with exit code 6; a number alone is seconds',
      watchTime,
    )
    .action(action(watch));
}

async function watch(io: Io, given: string | undefined, { timeout, ...flags }: WatchFlags) {
  const { imports } = await openImports(flags);
  const { id, state } = await imports.find(given);
  const stop = firstSignal(EXIT.stillRunning);
  const late = timeout === undefined ? undefined : AbortSignal.timeout(timeout);
  if (isUnderWay(state)) say(io, `Watching import ${id}; Ctrl-C stops watching, not the import.`);
  try {
    const signal = late ? AbortSignal.any([stop.signal, late]) : stop.signal;
    if ((await followImport(io, imports, id, { signal })) !== 'left')
      return await conclude(imports, io, id, flags.json === true);
    const again = [
      `Timed out waiting; import ${id} continues. Watch it again with:`,
      `  ${imports.command('watch', id)}`,
    ];
    say(io, '', ...(late?.aborted ? again : [`Import ${id} continues; you only stopped watching it.`]));
    return EXIT.stillRunning;
  } finally {
    stop.ignore();
  }
}

/** `rollcall status`: the outcomes of an import so far, and what its regions wait for. */
export function statusCommand(action: Action) {
  return aboutImport('status').action(action(status));
}

async function status(io: Io, given: string | undefined, flags: CommonFlags) {
  const { config, imports } = await openImports(flags);
  const found = await imports.find(given);
  const summary = summaryIn(found);
  const isUnsent = found.state === 'staged' && isOnlyRead(found.code);
  // Most imports have no check: its part is loaded for those that may.
  const check = isUnsent ? await import('../../features/check/commands/check-outcome.ts') : undefined;
  const checked = await check?.checkedOf(config, imports, found.id);
  const regions = isUnderWay(found.state) ? await imports.regions() : undefined;
  const interrupted = regions === undefined && isUnderWay(found.state);
  if (flags.json) {
    printJson(io, { ...summary, ...(interrupted && { interrupted }), check: checked });
    return;
  }
  // The service's answers count more than the check of the file.
  if (checked?.summary) io.out.write(`${importTitle(summary, io)}\n`);
  else await printSummary(imports, io, summary, interrupted);
  if (summary.target !== undefined) io.out.write(`\n  Service: ${targetText(summary.target)}.\n`);
  const underWay = regions !== undefined && (found.state === 'running' || found.state === 'pausing');
  if (underWay) print(io, `\n${regions.map(regionLine).join('\n')}\n`);
  else if (checked?.underWay) say(io, '', 'The service is being asked which rows would fail; nothing is sent.');
  else if (checked !== undefined) check?.concludeCheck(io, imports, found, checked);
  else say(io, '', ...nextSteps(imports, found));
}

/** `rollcall tag`: adds words to an import by which `rollcall list --tag` finds it, or removes them. */
export function tagCommand(action: Action) {
  const command = new Command('tag')
    .argument('<id>', 'import')
    .argument('<tags...>', 'tags to add')
    .option('--remove', 'remove these tags instead');
  return withServer(withJson(command)).action(action(tag));
}

async function tag(io: Io, id: string, words: readonly string[], flags: TagFlags) {
  const tags = { [flags.remove ? 'remove' : 'add']: tagsOf(words) };
  const { imports } = await openImports(flags);
  await imports.one(id);
  const { results } = await imports.client.call(importOperations.act, { action: 'tag', ids: [id], tags });
  const problem = results[0]?.problem;
  if (problem !== undefined) {
    const { code, detail, remedy } = problem;
    throw new RollcallError<string>(code, { what: detail, remedy: remedyFor(code, remedy), exit: 2 });
  }
  const { tags: all } = await imports.one(id);
  if (flags.json) printJson(io, { id, tags: all });
  say(io, all.length === 0 ? `Import ${id} has no tags.` : `Tags of import ${id}: ${printable(all.join(', '))}.`);
}

const MAX_LISTED = 1_000;
/** An import of a file, and one without tags. */
const PLAIN: ReadonlySet<string> = new Set(['file', '']);

/** `rollcall list`: the imports of a data directory, newest first. */
export function listCommand(action: Action) {
  const command = new Command('list').option('--limit <n>', 'how many', wholeNumber(1, MAX_LISTED), 20);
  return withListFilter(withServer(withJson(command))).action(action(list));
}

async function list(io: Io, flags: ListedFlags) {
  const { imports } = await openImports(flags);
  const filter = filterTexts(flags);
  let found: Awaited<ReturnType<Imports['list']>>;
  try {
    found = await imports.list(flags.limit, filter);
  } catch (error) {
    if (isError(error, 'BAD_OPTION')) throw ofFlag(error);
    if (!isError(error, 'NO_IMPORTS')) throw error;
    if (flags.json) io.out.write('[]\n');
    say(io, asSentence(error.message));
    return;
  }
  if (flags.json) {
    const listed = found.map((view) => {
      const { createdAt, createdBy, kind, tags, next } = view;
      return { ...summaryIn(view), createdAt, createdBy, kind, tags, next };
    });
    printJson(io, listed);
    return;
  }
  if (found.length === 0) {
    say(io, 'No import fits; leave out a flag to see more.');
    return;
  }
  const isOwned = (await imports.regions()) !== undefined;
  const table = found.map(({ id, state, file, rows, kind, tags, next: [step] }) => {
    const interrupted = isUnderWay(state) && !isOwned;
    return [
      id,
      interrupted ? 'interrupted' : state,
      grouped(rows.read),
      grouped(sumOfOutcomes(rows, FULFILLED)),
      grouped(rows.failed + rows.invalid + rows.unconfirmed),
      kind,
      printable(tags.join(', ')),
      interrupted ? 'Resume' : (step?.name ?? ''),
      printable(file),
    ];
  });
  const head = ['id', 'state', 'rows', 'succeeded', 'problems', 'kind', 'tags', 'next', 'file'];
  // A value that all imports share gets no column.
  const said = head.map(
    (name, at) => !['kind', 'tags', 'next'].includes(name) || table.some((row) => !PLAIN.has(row[at] ?? '')),
  );
  const shown = (row: readonly string[]) => row.filter((_, at) => said[at]);
  printTable(io, shown(head), table.map(shown));
}
