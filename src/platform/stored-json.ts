import { ledgerContradiction } from './database-errors.ts';

/**
 * JSON that a database of ours keeps, as the type that it was written from. By type guards and not by zod: commands that
 * only look at imports do not load zod.
 * @param what names it in the error, which does not show it: it may hold names of people
 */
export function storedJson<Value>(json: string, what: string, isIt: (value: unknown) => value is Value): Value {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // Below: it is not as it was written.
  }
  if (isIt(value)) return value;
  throw ledgerContradiction(`it does not hold ${what} as rollcall writes them`);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function listOf<One>(isOne: (value: unknown) => value is One): (value: unknown) => value is One[] {
  return (value) => Array.isArray(value) && value.every(isOne);
}

/** An object whose values are all of one kind. */
export function mapOf<One>(isOne: (value: unknown) => value is One): (value: unknown) => value is Record<string, One> {
  return (value): value is Record<string, One> => isObject(value) && Object.values(value).every(isOne);
}

export const isTexts = listOf(isText);
