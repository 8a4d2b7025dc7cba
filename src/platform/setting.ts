import { readFileSync } from 'node:fs';
import { messageOf } from '../errors/message-of.ts';
import { RollcallError } from '../errors/rollcall-error.ts';

/** The common part of all settings, from every origin. */

export type Environment = Readonly<Record<string, string | undefined>>;

/** A value, and where it was given, as messages name it. */
export interface Setting {
  readonly name: string;
  readonly value: string;
}

export class ConfigError extends RollcallError {
  constructor(what: string, remedy?: string) {
    super('BAD_SETTING', what, { remedy });
  }
}

/** A variable that is set to nothing counts as not set. */
export function present(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}

/** The text of a file that a setting names. @throws ConfigError */
export function readNamed(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`${setting} names ${path}, which cannot be read: ${messageOf(error)}`);
  }
}
