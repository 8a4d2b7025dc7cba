import { Command } from 'commander';
import { type Action, EXIT } from '../../../cli/exit-codes.ts';
import { addressFlagsOf, type SourceFlags, withShape, withSource } from '../../../cli/flags/file-flags.ts';
import { type CommonFlags, withDataDir, withJson, withOptions } from '../../../cli/flags/flags.ts';
import { importOptionsOf } from '../../../cli/import-file.ts';
import { fileToFetch, withFetched } from '../../../cli/input-files.ts';
import { sayNothingBegan } from '../../../cli/run.ts';
import { type Io, print, printJson, say, typedCommand } from '../../../cli/screen/io.ts';
import { showSteps } from '../../../cli/screen/show-progress.ts';
import { LOOKUPS, mapLookups, mapLookupsInTurn } from '../../../options/lookups.ts';
import { READING, type ReadingChoices } from '../../../options/reading-options.ts';
import type { ShapeFlags } from '../../../options/shape-flags.ts';
import { readConfig } from '../../../platform/config.ts';
import { shellWord } from '../../../text/terminal-text.ts';
import type { Typed } from '../typed-import.ts';
import { factsText, inspectFile, nextLines } from './inspect-file.ts';

type Flags = ReadingChoices & ShapeFlags & SourceFlags & CommonFlags;

/** `rollcall inspect`: what a file is, and how to import it. Needs no settings, sends and stores nothing. */
export function inspectCommand(action: Action) {
  const command = new Command('inspect').argument(
    '<file>',
    'any file, or an address; - reads the beginning of standard input',
  );
  return withDataDir(withJson(withShape(withOptions(withSource(command), READING)))).action(action(inspectCommandLine));
}

async function inspectCommandLine(io: Io, file: string, flags: Flags) {
  const config = readConfig({ profile: flags.profile, dataDir: flags.dataDir });
  const fetched = await fileToFetch(config, file, flags);
  const options = importOptionsOf(config, flags);
  // Not read, but what is refused is not repeated.
  await mapLookupsInTurn(flags, (name) => fileToFetch(config, name, {}));
  const lookups = mapLookups(flags, (name, lookup) => (name.includes('?') ? `<${LOOKUPS[lookup].example}>` : name));
  // The command reads the same address again, with the same flags. A query may be a secret, and is left to fill in.
  const again = [
    file.includes('?') ? '<ADDRESS>' : shellWord(file),
    ...addressFlagsOf(flags).map(([flag, value]) => `${flag} ${shellWord(value)}`),
  ];
  const typed: Typed['typed'] = (verb, name, ...more) =>
    typedCommand(config, verb, ...(fetched === undefined ? [name] : again), ...more);
  const look = (path: string, name = path) => inspectFile(config, path, options, { lookups, typed, name });
  const progress = fetched && showSteps(io, fetched.lines, { begins: 'the file to come' });
  const looked =
    fetched === undefined
      ? look(file)
      : withFetched(fetched, (path, name) => {
          progress?.stop();
          return look(path, name);
        });
  const facts = await looked.finally(progress?.stop);
  if (facts === undefined) return sayNothingBegan(io);
  if (flags.json) printJson(io, facts);
  else {
    print(io, factsText(facts, io.width));
    const next = nextLines(facts);
    if (next.length > 0) say(io, '', ...next);
  }
  return facts.format === null && facts.recipes.length === 0 ? EXIT.usage : EXIT.ok;
}
