import { renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type DestinationStream, destination, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino';
import { noteNewestLog } from './newest-log.ts';
import type { LogLevel, SettingValues } from './settings.ts';

export type { DestinationStream as LogStream, Logger };

/** Properties that may hold a key or token are never written, however deep a logged object is. */
const SECRETS = ['apiKey', 'apikey', 'key', 'secret', 'token', 'authorization'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
]);

/** Size at which the log is set aside as `rollcall.log.1`, in bytes; so are the ones before it, and the oldest goes. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Logs that were set aside and are kept. */
const KEPT = 3;
/** Characters of an error's texts: a stranger's address or file may be in them. */
const MAX_TEXT_LENGTH = 4_000;
/** Bytes of lines that wait where the file takes no more; later ones are left out. */
const MAX_WAITING = 1024 * 1024;

interface LogOptions {
  readonly level?: LogLevel;
  /** Path of a file that lines are appended to. With those set aside it takes at most four times `maxBytes`. */
  readonly file?: string | undefined;
  readonly maxBytes?: number;
  /** A second target of every line. */
  readonly stream?: DestinationStream | undefined;
}

/** A log of JSON lines, each with `level`, `time` (ISO 8601), `pid` and `msg`. */
export function createLog({ level = 'info', file, maxBytes = MAX_BYTES, stream }: LogOptions): Logger {
  const streams = [file === undefined ? [] : [boundedFile(file, maxBytes)], stream ?? []].flat();
  const log = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRETS, censor: '[redacted]' },
      serializers: { err: (error: Error) => shortened(stdSerializers.err(error)) },
    },
    {
      write: (line) => {
        for (const one of streams) one.write(line);
      },
    },
  );
  noteNewestLog({ log, file });
  return log;
}

/** The log of the process that owns the data directory: `rollcall.log` in it, unless the settings name another file. */
export function openLog(
  dataDir: string,
  {
    logLevel: level = 'info',
    logFile: file = join(dataDir, 'rollcall.log'),
  }: Partial<Pick<SettingValues, 'logLevel' | 'logFile'>> = {},
  stream?: DestinationStream,
): Logger {
  return createLog({ level, file, stream });
}

function boundedFile(path: string, maxBytes: number): DestinationStream {
  const file = destination({ dest: path, mkdir: true, sync: true, mode: 0o600, maxLength: MAX_WAITING });
  // A full disk must not end the process. The lines wait, and are written with the next one that finds room.
  file.on('error', () => {});
  let bytes = statSync(path).size;
  return {
    write: (line) => {
      if (bytes > 0 && bytes + line.length > maxBytes) {
        setAside(path);
        file.reopen();
        bytes = 0;
      }
      bytes += Buffer.byteLength(line);
      file.write(line);
    },
  };
}

/** Sets the file aside. In a folder of another user that is not possible: the file grows on, and is tried again later. */
function setAside(path: string) {
  for (let number = KEPT; number > 0; number -= 1) {
    try {
      renameSync(number === 1 ? path : `${path}.${number - 1}`, `${path}.${number}`);
    } catch (error) {
      // There are fewer as yet.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return;
    }
  }
}

function shortened(error: ReturnType<typeof stdSerializers.err>) {
  const texts = Object.entries(error).map(([name, value]) => [
    name,
    typeof value === 'string' && value.length > MAX_TEXT_LENGTH ? `${value.slice(0, MAX_TEXT_LENGTH)}…` : value,
  ]);
  return Object.fromEntries(texts);
}

/** Time in ms in which one error of a kind is reported once: a broken queue would fill the disk otherwise. */
const QUIET_MS = 10_000;

export function quietly(report: (error: Error) => void): (error: Error) => void {
  const last = new Map<string, number>();
  return (error) => {
    const now = Date.now();
    // Messages may name a job: without this, all of them would be kept. The oldest are first.
    for (const [message, at] of last) {
      if (now - at < QUIET_MS) break;
      last.delete(message);
    }
    if (last.has(error.message)) return;
    last.set(error.message, now);
    report(error);
  };
}
