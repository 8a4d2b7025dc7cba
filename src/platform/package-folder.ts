import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';

const packageFile = findPackageJSON(import.meta.url);
if (packageFile === undefined)
  throw new Error('rollcall is not complete: its package.json is missing; install it again');

/** The folder of rollcall's package: a clone, where it runs from the sources, or where npm has put it, with them built. */
export const PACKAGE_FOLDER = new URL('.', pathToFileURL(packageFile));

/** rollcall's version, as its package says. */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL('package.json', PACKAGE_FOLDER), 'utf8')) as { version: string }
).version;
