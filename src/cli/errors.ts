/** A command was used in a way that cannot work; the message says which would. Exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/**
 * Classes of faults of the user, not of the program: a message and exit code 2. By name, because importing them all would
 * load the whole program for every command.
 */
export const USAGE_ERRORS: ReadonlySet<string> = new Set([
  'ConfigError',
  'SettingError',
  'IntakeError',
  'LedgerError',
  'TransitionError',
  'ControlRefused',
  'DataDirInUse',
  'DataDirUnusable',
  'RegionWithoutApp',
  'UnknownImport',
  'NoImports',
  'UsageError',
  'QueueAddressError',
  'FaultSyntaxError',
  'SeedError',
  'SeedUnreadable',
  'ServerRefused',
  'CronError',
  'ProtectFileError',
  'ScheduleError',
  'SourceError',
  'SyncRefused',
  'SyncTransitionError',
  'UnknownSync',
]);

/** Errors of these classes are faults outside the program, and their messages say all. */
export const OUTER_FAULTS: ReadonlySet<string> = new Set(['ServerFault', 'ServerAway']);

const classOf = (error: Error): string => error.constructor.name;

const isDamage = (error: Error): boolean => 'code' in error && error.code === 'DAMAGED_LEDGER';

export function isUsageError(error: Error): boolean {
  return USAGE_ERRORS.has(classOf(error)) && !isDamage(error);
}

/** What the system refuses (a full disk, a missing right) speaks for itself; anything else is ours to find. */
export function speaksForItself(error: Error): boolean {
  return OUTER_FAULTS.has(classOf(error)) || isDamage(error) || 'syscall' in error;
}
