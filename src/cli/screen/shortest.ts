import { relative } from 'node:path';

/** The path as the user would type it here. */
export function shortest(path: string): string {
  const here = relative('.', path);
  return here !== '' && here.length < path.length ? here : path;
}
