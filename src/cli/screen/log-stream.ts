import type { LogStream } from '../../platform/log.ts';
import type { Io } from './io.ts';

/** Log output of a long-running command: lines for people on a terminal, JSON everywhere else. */
export async function logStream({ out, color }: Pick<Io, 'out' | 'color'>): Promise<LogStream> {
  if (!('isTTY' in out) || out.isTTY !== true) return { write: (line) => void out.write(line) };
  const { prettyFactory } = await import('pino-pretty');
  const pretty = prettyFactory({ colorize: color, ignore: 'pid', singleLine: true, translateTime: 'SYS:HH:MM:ss' });
  return { write: (line) => void out.write(pretty(line)) };
}
