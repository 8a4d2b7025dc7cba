import { renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type DestinationStream, destination, type Logger, pino, stdSerializers } from 'pino';

export type { Logger };

/** Properties that may hold a key or token are never written, however deep a logged object is. */
const SECRETS = ['apiKey', 'apikey', 'key', 'secret', 'token', 'authorization'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
]);

/** Size at which the log is set aside as `rollcall.log.1`, in bytes; so are the ones before it, and the oldest goes. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Logs that were set aside and are kept. */
const KEPT = 3;
/** Characters of an error's texts: a stranger's address or file may be in them. */
const LONGEST_TEXT = 4_000;

/**
 * The log of the process that owns the data directory: JSON lines in `<dataDir>/rollcall.log`. With those set aside it never
 * takes more than four times `mostBytes`.
 */
export function openLog(dataDir: string, mostBytes: number = MOST_BYTES): Logger {
  return pino(
    {
      level: 'info',
      base: { pid: process.pid },
      redact: { paths: SECRETS, censor: '[redacted]' },
      serializers: { err: (error: Error) => shortened(stdSerializers.err(error)) },
    },
    boundedFile(join(dataDir, 'rollcall.log'), mostBytes),
  );
}

function boundedFile(path: string, mostBytes: number): DestinationStream {
  const file = destination({ dest: path, mkdir: true, sync: true, mode: 0o600 });
  let bytes = statSync(path).size;
  return {
    write: (line) => {
      if (bytes > 0 && bytes + line.length > mostBytes) {
        setAside(path);
        file.reopen();
        bytes = 0;
      }
      bytes += Buffer.byteLength(line);
      file.write(line);
    },
  };
}

function setAside(path: string): void {
  for (let number = KEPT; number > 0; number -= 1) {
    try {
      renameSync(number === 1 ? path : `${path}.${number - 1}`, `${path}.${number}`);
    } catch (error) {
      // There are fewer as yet.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

function shortened(error: ReturnType<typeof stdSerializers.err>): object {
  const texts = Object.entries(error).map(([name, value]) => [
    name,
    typeof value === 'string' && value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value,
  ]);
  return Object.fromEntries(texts);
}
