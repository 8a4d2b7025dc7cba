import { existsSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { RollcallError } from '../errors/rollcall-error.ts';
import { shellWord } from '../text/terminal-text.ts';

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

export const VERSION = manifest.version;
export const LICENCE = manifest.license;

/** Packages that are installed by those who need them, and their versions. */
const PEERS = manifest.peerDependencies;

/**
 * Packages that only some uses of rollcall need. They are optional peers in package.json: who needs one installs it, and the image has
 * all. A module that imports one is loaded by `withPackages` alone.
 */
export const OPTIONAL_PACKAGES = {
  'addresses with s3:// and gs://': ['@aws-sdk/client-s3'],
  'addresses with sftp://': ['ssh2'],
  'addresses with postgres://': ['pg', 'pg-cursor'],
  'addresses with mysql:// and mariadb://': ['mysql2'],
  'notifications by mail': ['nodemailer'],
  'traces (OTEL_SDK_DISABLED=true turns them off)': [
    '@opentelemetry/api',
    '@opentelemetry/context-async-hooks',
    '@opentelemetry/core',
    '@opentelemetry/exporter-trace-otlp-http',
    '@opentelemetry/exporter-trace-otlp-proto',
    '@opentelemetry/instrumentation-undici',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-trace',
    'bullmq-otel',
  ],
} as const;

/** Packages that are inside the published one; a clone that was installed without its tools has none of them. */
export const BUNDLED_PACKAGES = { 'queues in Redis and Valkey': ['bullmq'] } as const;

const PACKAGES = { ...OPTIONAL_PACKAGES, ...BUNDLED_PACKAGES };

/** A use of rollcall, as messages name it. */
export type PackageUse = keyof typeof PACKAGES;

/** Loads a module that imports what a use needs. @throws PACKAGE_MISSING */
export async function withPackages<Module>(use: PackageUse, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code.endsWith('MODULE_NOT_FOUND')) checkPackages(use);
    throw error;
  }
}

/** @throws PACKAGE_MISSING where a package that a use needs is not installed */
export function checkPackages(use: PackageUse, isInstalled = resolves, folder = fileURLToPath(PACKAGE_FOLDER)) {
  const missing = PACKAGES[use].filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  throw new RollcallError('PACKAGE_MISSING', { use, packages: missing, install: installCommand(missing, folder) });
}

function resolves(name: string) {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** Returns the command that puts packages where the rollcall in `folder` finds them, in versions that it works with. */
function installCommand(names: readonly string[], folder: string) {
  const [above = '', ...below] = folder.split(/[/\\]node_modules[/\\]/);
  if (below.length === 0) return `npm ci --include=dev --prefix ${shellWord(folder)}`;
  const versions = names.map((name) => `${name}@${/^\^(0\.\d+|\d+)/.exec(PEERS[name] ?? '')?.[1]}`);
  // Only where npm installs for a whole machine is there no package.json.
  const isGlobal = !existsSync(join(above, 'package.json'));
  const prefix = isGlobal && basename(above) === 'lib' ? dirname(above) : above;
  return ['npm install', ...(isGlobal ? ['-g'] : []), '--prefix', shellWord(prefix), ...versions].join(' ');
}
