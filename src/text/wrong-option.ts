import { createRequire } from 'node:module';
import type { ZodError, z } from 'zod';
import { bareWord } from './same-text.ts';
import { counted } from './wording.ts';

/** The first wrong option, for people: its name, its value and what is allowed. */
interface WrongOption {
  /** Its name; '' where it is the whole. */
  readonly field: string;
  readonly isUnknown: boolean;
  /** `region is "mars": allowed are us, eu, in`. Of one inside of another: `shape.where.0.column is 3: …`. */
  readonly text: string;
}

type Inner = Readonly<Record<PropertyKey, unknown>> | null | undefined;

/** @param whole a word for all that was given */
export function wrongOption(error: ZodError, given: unknown, whole = 'the request'): WrongOption {
  const [issue] = error.issues;
  if (issue?.code === 'unrecognized_keys') {
    const [field = ''] = issue.keys;
    const place = issue.path.length === 0 ? '' : ` in ${issue.path.join('.')}`;
    return { field, isUnknown: true, text: `there is no option ${shortened(field)}${place}` };
  }
  const path = issue?.path ?? [];
  const field = String(path[0] ?? '');
  const names: PropertyKey[] = [];
  let value = given;
  for (const key of path) {
    // Such as a list with commas.
    if (typeof value === 'string') break;
    names.push(key);
    value = (value as Inner)?.[key];
  }
  const name = names.join('.') || whole;
  const isMissing = value === undefined && issue?.code === 'invalid_type';
  const shown = value === undefined ? 'missing' : shortened(value);
  return { field, isUnknown: false, text: `${name} is ${shown}${isMissing ? '' : `: ${allowed(issue)}`}` };
}

const TYPES: Readonly<Record<string, string>> = {
  number: 'a number',
  int: 'a whole number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

/** An allowed size with its unit: `3 characters`. Undefined for a number, which has none. */
function sizeIn(origin: string, count: number | bigint) {
  if (origin === 'string') return counted(Number(count), 'character');
  return origin === 'array' ? `${count} entries` : undefined;
}

/** In our words, unless the declaration has words of its own. */
function allowed(issue: z.core.$ZodIssue | undefined) {
  if (issue?.code === 'invalid_value') return `allowed are ${issue.values.join(', ')}`;
  if (issue !== undefined && !/^(Invalid input|Too small|Too big)/.test(issue.message)) return issue.message;
  if (issue?.code === 'invalid_type') return `it must be ${TYPES[issue.expected] ?? issue.expected}`;
  if (issue?.code === 'too_small') {
    const size = sizeIn(issue.origin, issue.minimum);
    if (size !== undefined)
      return Number(issue.minimum) === 1 ? 'it must not be empty' : `it must have at least ${size}`;
    return `it must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
  }
  if (issue?.code === 'too_big') {
    const size = sizeIn(issue.origin, issue.maximum);
    if (size !== undefined) return `it may have at most ${size}`;
    return `it must be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`;
  }
  return 'it cannot be used';
}

/** The beginning of a value that someone may have made long. */
export function shortened(value: unknown) {
  return JSON.stringify(value).slice(0, 100);
}

const load = createRequire(import.meta.url);

/** The name that is most like this one, if one is. */
export function nearest(name: string, names: readonly string[]) {
  // Only a wrong name needs it.
  const { default: leven } = load('leven') as typeof import('leven');
  const wanted = bareWord(name);
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const candidate of names) {
    const distance = leven(wanted, bareWord(candidate));
    if (
      distance <= Math.max(1, Math.floor(wanted.length / 3)) &&
      distance < (best?.distance ?? Number.POSITIVE_INFINITY)
    ) {
      best = { name: candidate, distance };
    }
  }
  return best?.name;
}
