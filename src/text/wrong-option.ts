import type { ZodError, z } from 'zod';

/** What is wrong with options, for people: the first that is, with its name, its value and what is allowed. */
export interface WrongOption {
  /** Its name; '' where it is the whole. */
  readonly field: string;
  /** It does not exist. */
  readonly isUnknown: boolean;
  /** `region is "mars": allowed are us, eu, in`. */
  readonly text: string;
}

export function wrongOption(error: ZodError, given: unknown): WrongOption {
  const [issue] = error.issues;
  if (issue?.code === 'unrecognized_keys') {
    const [field = ''] = issue.keys;
    return { field, isUnknown: true, text: `there is no option ${shortened(field)}` };
  }
  const field = String(issue?.path[0] ?? '');
  const value = (given as Readonly<Record<string, unknown>> | null | undefined)?.[field];
  const shown = value === undefined ? 'missing' : shortened(value);
  return { field, isUnknown: false, text: `${field || 'the request'} is ${shown}: ${allowed(issue)}` };
}

function allowed(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'invalid_value') return `allowed are ${issue.values.join(', ')}`;
  return issue?.message ?? 'it cannot be used';
}

/** The beginning of a value that someone may have made long. */
export function shortened(value: unknown): string {
  return JSON.stringify(value).slice(0, 100);
}
