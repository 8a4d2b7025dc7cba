import { join } from 'node:path';
import { destination, type Logger, pino } from 'pino';

export type { Logger };

/** Properties that may hold a key or token are never written, however deep a logged object is. */
const SECRETS = ['apiKey', 'apikey', 'key', 'secret', 'token', 'authorization'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
]);

/** The log of whoever owns the data directory: JSON lines in `<dataDir>/rollcall.log`. */
export function openLog(dataDir: string): Logger {
  return pino(
    { level: 'info', base: { pid: process.pid }, redact: { paths: SECRETS, censor: '[redacted]' } },
    destination({ dest: join(dataDir, 'rollcall.log'), mkdir: true, sync: true, mode: 0o600 }),
  );
}
