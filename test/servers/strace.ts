import { readFileSync } from 'node:fs';
import { findProgram } from './needs.ts';

/** A call of the system that brought a file to the disk. Times are in ms since 1970. */
export interface Synced {
  readonly from: number;
  readonly until: number;
}

/** The command under which a program's syncs are written into `file`. */
export function tracedSyncs(file: string): readonly string[] {
  return [findProgram('strace'), '-f', '-qq', '-y', '-ttt', '-T', '-e', 'trace=fsync,fdatasync', '-o', file];
}

/** Reads when files with this end of their name were brought to the disk. */
export function syncsOf(file: string, ending: string): Synced[] {
  const begun = new Map<string, number>();
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, thread = '', seconds, said = ''] = /^(\d+) +([\d.]+) (.*)$/.exec(line) ?? [];
      const at = Number(seconds) * 1_000;
      const isOfFile = said.includes(`${ending}>`);
      // A call during which another thread made one takes two lines.
      if (isOfFile && said.endsWith('<unfinished ...>')) begun.set(thread, at);
      const [, took] = /= 0 <([\d.]+)>$/.exec(said) ?? [];
      if (took === undefined) return [];
      const from = said.startsWith('<...') ? begun.get(thread) : isOfFile ? at : undefined;
      begun.delete(thread);
      return from === undefined ? [] : [{ from, until: from + Number(took) * 1_000 }];
    });
}
