import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';

const packageFile = findPackageJSON(import.meta.url);
if (packageFile === undefined)
  throw new Error('rollcall is not complete: its package.json is missing; install it again');

/** The folder of rollcall's package: a clone, where it runs from the sources, or where npm has put it, with them built. */
export const PACKAGE_FOLDER = new URL('.', pathToFileURL(packageFile));

const manifest: {
  readonly version: string;
  readonly license: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
} = JSON.parse(readFileSync(new URL('package.json', PACKAGE_FOLDER), 'utf8'));

/** rollcall's version, as its package says. */
export const VERSION = manifest.version;
export const LICENCE = manifest.license;

/** Packages that are installed by those who need them, and their versions. */
export const PEERS = manifest.peerDependencies;
