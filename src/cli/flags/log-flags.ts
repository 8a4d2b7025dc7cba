import type { Command } from 'commander';
import type { LogLevel } from '../../platform/log-settings.ts';
import { settingFlag } from './setting-flag.ts';

export interface LogFlags {
  readonly logLevel?: LogLevel;
  readonly logFile?: string;
}

/** For long-running commands: they write their log to standard output. */
export function withLog(command: Command): Command {
  return command.addOption(settingFlag('logLevel')).addOption(settingFlag('logFile'));
}
