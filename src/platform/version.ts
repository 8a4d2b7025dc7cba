import { readFileSync } from 'node:fs';
import { PACKAGE_FOLDER } from './package-folder.ts';

/** rollcall's version, as its package says. */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL('package.json', PACKAGE_FOLDER), 'utf8')) as { version: string }
).version;
