import { type Command, Option } from 'commander';
import { LOG_LEVELS, type LogLevel } from '../../platform/log-settings.ts';

export interface LogFlags {
  readonly logLevel?: LogLevel;
  readonly logFile?: string;
}

/** For commands that stay: they write their log to standard output. */
export function withLog(command: Command, defaultFile: string): Command {
  return command
    .addOption(
      new Option('--log-level <level>', 'how much is logged (default: info, or ROLLCALL_LOG_LEVEL)').choices(
        LOG_LEVELS,
      ),
    )
    .option('--log-file <file>', `also write the log to this file (default: ${defaultFile}, or ROLLCALL_LOG_FILE)`);
}
