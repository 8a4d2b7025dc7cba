import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
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

/** Windows begins a text with a byte order mark. */
export function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}

/** The text of a file that a setting names. @throws ConfigError */
export function readNamed(setting: string, path: string): string {
  try {
    return withoutMark(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`${setting} names ${path}, which cannot be read: ${messageOf(error)}`);
  }
}

type Named = readonly [name: string, value: string | undefined];

/**
 * A value as it is set, or out of the file that is set instead, which is read when the value is asked for: a command that
 * needs no key runs without its file. Undefined where neither is.
 * @throws ConfigError
 */
export function valueOrFile([name, value]: Named, [fileName, path]: Named, folder: string): Setting | undefined {
  if (path === undefined) return value === undefined ? undefined : { name, value };
  if (value !== undefined) throw new ConfigError(`${name} and ${fileName} are both set: keep one`);
  return {
    name: fileName,
    get value() {
      const text = present(readNamed(fileName, resolve(folder, path)));
      if (text !== undefined) return text;
      throw new ConfigError(`${fileName} names ${path}, which is empty: put the value into it`);
    },
  };
}
