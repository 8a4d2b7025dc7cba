import { type Command, Option } from 'commander';
import { byteCount } from './flags.ts';
import { repeatable } from './once.ts';

/** How the file at an https address is fetched. */
export interface SourceFlags {
  /** As given: `Authorization=env:NIGHTLY_TOKEN`. */
  readonly header?: readonly string[];
  /** In bytes. */
  readonly maxSource?: number;
}

const DEFAULT_SOURCE = 2 * 1024 ** 3;

export function withSource(command: Command): Command {
  return command
    .option(
      '--header <name=env:variable>',
      'for an https address: a header, and the environment variable that has its value; repeat for more',
      // Read later: a message of commander's would repeat a secret that is given instead of a variable.
      repeatable((text: string, earlier: readonly string[] = []) => [...earlier, text]),
    )
    .addOption(
      new Option('--max-source <size>', 'largest file to accept, such as 500mb')
        .argParser(byteCount)
        .default(DEFAULT_SOURCE, '2gb'),
    );
}
