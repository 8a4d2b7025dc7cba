import { relative } from 'node:path';
import type { Config } from '../platform/config.ts';
import { shellWord } from '../text/terminal-text.ts';

/** A command for the user to copy: on the data directory that this one was given, unless a setting leads there. */
export function typedCommand({ dataDirFlag, profileFlag }: Config, ...words: readonly string[]) {
  const where = dataDirFlag === undefined ? [] : ['--data-dir', shellWord(dataDirFlag)];
  const which = profileFlag === undefined ? [] : ['--profile', profileFlag];
  return ['rollcall', ...words, ...which, ...where].join(' ');
}

/** The path as the user would type it here. */
export function shortest(path: string) {
  const fromHere = relative('.', path);
  return fromHere !== '' && fromHere.length < path.length ? fromHere : path;
}
