import { type Io, say } from '../../../cli/screen/io.ts';
import type { ImportOptions } from '../../../imports/import-options.ts';
import { IntakeError } from '../../../imports/read/intake-error.ts';
import type { ByLookup } from '../../../options/lookups.ts';
import type { Config } from '../../../platform/config.ts';
import { isAddress } from '../../../text/address-text.ts';
import { factsText, nextLines } from './facts-text.ts';
import { inspectFile } from './inspect-file.ts';

/** After a file was refused: says what it is, and a command that would work. */
export async function sayWhatItIs(
  io: Io,
  config: Config,
  file: string,
  options: ImportOptions,
  { lookups, recipe }: { readonly lookups: ByLookup<string>; readonly recipe?: string | undefined },
): Promise<void> {
  if (file === '-' || isAddress(file)) return;
  const facts = await inspectFile(config, file, options, lookups).catch((error: unknown) => {
    // The refusal has said it: there is nothing to look at.
    if (error instanceof IntakeError) return undefined;
    throw error;
  });
  if (facts === undefined || facts.refusal === null) return;
  // What was just refused is not proposed again.
  const isAgain = recipe !== undefined && facts.recipes[0]?.name === recipe;
  const next = isAgain ? [] : nextLines(facts);
  say(io, '', ...factsText(facts, io.width, false).trimEnd().split('\n'), '', ...next);
}
