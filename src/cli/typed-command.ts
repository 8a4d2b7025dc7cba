import type { Config } from '../platform/config.ts';
import { shellWord } from '../text/shell-word.ts';

/** A command for the user to copy: on the data directory that this one was given, unless a setting leads there. */
export function typedCommand({ command, dataDirFlag }: Config, ...words: readonly string[]): string {
  const where = dataDirFlag === undefined ? [] : ['--data-dir', shellWord(dataDirFlag)];
  return [command, ...words, ...where].join(' ');
}
