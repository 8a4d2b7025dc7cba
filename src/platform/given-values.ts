import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { badSetting, messageOf, RollcallError } from '../errors/rollcall-error.ts';
import { type Allowed, allowedValues } from './allowed-values.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A value, and where it was given, as messages name it. */
export interface Setting {
  readonly name: string;
  readonly value: string;
}

/** A setting that is set to nothing counts as not set. */
export function present(value: unknown) {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() || undefined : undefined;
}

/** Windows begins a text with a byte order mark. */
export function withoutMark(text: string) {
  return text.replace(/^\uFEFF/, '');
}

/** The text of a file that a setting names. @throws BAD_SETTING */
export function readNamed(name: string, path: string) {
  try {
    return withoutMark(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new RollcallError('BAD_SETTING', { name, path, why: messageOf(error) });
  }
}

/**
 * A value as it is set, or out of the file that is set instead, which is read when the value is asked for: a command that
 * needs no key runs without its file. Undefined where neither is.
 * @param place of a key, as messages name it
 * @throws BAD_SETTING
 */
export function givenIn(
  values: Readonly<Record<string, unknown>> = {},
  key: string,
  fileKey: string,
  folder: string,
  place = (one: string) => one,
): Setting | undefined {
  const [name, fileName] = [place(key), place(fileKey)];
  const [value, path] = [present(values[key]), present(values[fileKey])];
  if (path === undefined) return value === undefined ? undefined : { name, value };
  if (value !== undefined) throw badSetting(`${name} and ${fileName} are both set: keep one`);
  return {
    name: fileName,
    get value() {
      const text = present(readNamed(fileName, resolve(folder, path)));
      if (text !== undefined) return text;
      throw badSetting(`${fileName} names ${path}, which is empty: put the value into it`);
    },
  };
}

/** @throws BAD_SETTING for a value that is not allowed */
export function readSetting<Value>(allowed: Allowed<Value>, { name, value: text }: Setting): Value {
  const value = allowed.parse(text, name);
  if (value !== undefined) return value;
  throw new RollcallError('BAD_SETTING', { name, value: text, allowed: allowedValues(allowed) });
}
