import { Command } from 'commander';
import { readConfig } from '../../platform/config.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { withDataDir, withJson } from '../flags/flags.ts';
import { importOptionsOf } from '../flags/import-options.ts';
import { type ReadingFlags, withReading } from '../flags/reading-flags.ts';
import { identitiesOf, type ShapeFlags, withShape } from '../flags/shape-flags.ts';
import { inspectFile } from '../inspect-file.ts';
import { factsText, nextLines } from '../screen/file-facts.ts';
import { type Io, say } from '../screen/io.ts';

type Flags = ReadingFlags & ShapeFlags & { readonly dataDir?: string; readonly json?: true };

/** `rollcall inspect`: what a file is, and how to import it. Needs no settings, sends and stores nothing. */
export function inspectCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('inspect').argument('<file>', 'any file; - reads the beginning of standard input');
  return withDataDir(withJson(withShape(withReading(command)))).action((file: string, flags: Flags) =>
    end(inspectCommandLine(io, file, flags)),
  );
}

async function inspectCommandLine(io: Io, file: string, flags: Flags): Promise<ExitCode> {
  const config = readConfig({ dataDir: flags.dataDir });
  const facts = await inspectFile(config, file, importOptionsOf(config, flags), identitiesOf(flags)?.name);
  if (flags.json) io.out.write(`${JSON.stringify(facts)}\n`);
  else {
    io.out.write(factsText(facts, io.width));
    const next = nextLines(facts);
    if (next.length > 0) say(io, '', ...next);
  }
  return facts.format === null && facts.recipes.length === 0 ? EXIT.usage : EXIT.ok;
}
