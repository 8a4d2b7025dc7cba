/** From little to much: `debug` adds every call that was answered, and what the service said about rows. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogSettings {
  readonly level: LogLevel;
  readonly file: string | undefined;
}
