import { resolve } from 'node:path';
import { ConfigError, type Setting } from './setting.ts';

/** From little to much: `debug` adds every call that was answered, and what the service said about rows. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogSettings {
  /** Default `info`. */
  readonly level: LogLevel;
  /** Path of the log file; undefined: `rollcall.log` in the data directory, and none for a worker. */
  readonly file: string | undefined;
}

/** @throws ConfigError */
export function logSettings(
  given: { readonly level: Setting | undefined; readonly file: Setting | undefined },
  flags: { readonly logLevel?: LogLevel | undefined; readonly logFile?: string | undefined },
  folder: string,
): LogSettings {
  const file = flags.logFile ?? given.file?.value;
  return {
    level: flags.logLevel ?? levelOf(given.level),
    file: file === undefined ? undefined : resolve(folder, file),
  };
}

function levelOf(given: Setting | undefined): LogLevel {
  if (given === undefined) return 'info';
  const level = LOG_LEVELS.find((one) => one === given.value.toLowerCase());
  if (level !== undefined) return level;
  throw new ConfigError(`${given.name} is ${JSON.stringify(given.value)}; allowed are ${LOG_LEVELS.join(', ')}`);
}
