import { Command } from 'commander';
import { sourceContextOf } from '../../app/ca-file.ts';
import { badUsage } from '../../errors/rollcall-error.ts';
import { type Config, readConfig } from '../../platform/config.ts';
import { firstSignal } from '../../platform/lifecycle.ts';
import { type Action, EXIT } from '../exit-codes.ts';
import { type Finding, printFindings } from '../findings.ts';
import { type CommonFlags, withJson } from '../flags/flags.ts';
import { type Io, printJson, say } from '../screen/io.ts';
import { showSteps } from '../screen/show-progress.ts';

/** `rollcall sources`: the sources that the settings name, and whether each can be read. */
export function sourcesCommand(action: Action) {
  const command = new Command('sources').argument('[name...]', 'only these (default: all)');
  return withJson(command).action(action(sources));
}

async function sources(io: Io, names: readonly string[], flags: CommonFlags) {
  const config = readConfig(flags);
  const known = Object.keys(config.namedSources);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const others = known.length === 0 ? 'they name none' : `they name ${known.join(', ')}`;
    throw badUsage(`the settings name no source ${JSON.stringify(unknown)}; ${others}`);
  }
  const signal = firstSignal(EXIT.interrupted);
  const progress = showSteps(io, () => [], { begins: 'the sources to answer' });
  const tried = await triedSources(config, names.length === 0 ? known : names, signal.signal).finally(() => {
    progress.stop();
    signal.ignore();
  });
  if (flags.json) printJson(io, tried);
  else if (tried.length > 0) printFindings(io, sourceFindings(tried));
  else say(io, 'The settings name no sources. Name one in "sources" of rollcall.config.json: docs/addresses.md.');
  return tried.every(({ ok }) => ok) ? EXIT.ok : EXIT.usage;
}

/** @param before is put before their names */
export function sourceFindings(tried: Awaited<ReturnType<typeof triedSources>>, before = ''): Finding[] {
  return tried.map(({ name, address, detail, ...result }) => ({
    check: `${before}${name}`,
    detail: `${address}: ${detail}`,
    ...result,
  }));
}

/** Loaded for those alone who have named sources. */
export async function triedSources(
  config: Config,
  names: readonly string[] = Object.keys(config.namedSources),
  stop: AbortSignal = new AbortController().signal,
) {
  if (names.length === 0) return [];
  const { trySources } = await import('../../sources/try-source.ts');
  return trySources(names, sourceContextOf(config), stop);
}
