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
  if (value === undefined && issue?.code === 'invalid_type')
    return { field, isUnknown: false, text: `${name} is missing` };
  const shown = value === undefined ? 'missing' : shortened(value);
  return { field, isUnknown: false, text: `${name} is ${shown}: ${allowed(issue)}` };
}

function allowed(issue: z.core.$ZodIssue | undefined) {
  if (issue?.code === 'invalid_value') return `allowed are ${issue.values.join(', ')}`;
  if (issue?.code === 'too_small' && issue.origin === 'string') {
    return issue.minimum === 1
      ? 'it must not be empty'
      : `it must have at least ${counted(Number(issue.minimum), 'character')}`;
  }
  if (issue?.code === 'too_big' && issue.origin === 'string') {
    return `it may have at most ${counted(Number(issue.maximum), 'character')}`;
  }
  return inOurWords(issue) ?? issue?.message ?? 'it cannot be used';
}

const TYPES: Readonly<Record<string, string>> = {
  number: 'a number',
  int: 'a whole number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

/** In place of the library's words; undefined where the declaration has words of its own. */
function inOurWords(issue: z.core.$ZodIssue | undefined) {
  if (issue === undefined || !/^(Invalid input|Too small|Too big)/.test(issue.message)) return undefined;
  if (issue.code === 'invalid_type') return `it must be ${TYPES[issue.expected] ?? issue.expected}`;
  if (issue.code === 'too_small') {
    const least = Number(issue.minimum);
    if (issue.origin !== 'array') return `it must be ${issue.inclusive === false ? 'more than' : 'at least'} ${least}`;
    return least === 1 ? 'it must not be empty' : `it must have at least ${least} entries`;
  }
  if (issue.code === 'too_big') {
    const most = Number(issue.maximum);
    if (issue.origin !== 'array') return `it must be ${issue.inclusive === false ? 'less than' : 'at most'} ${most}`;
    return `it may have at most ${most} entries`;
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
