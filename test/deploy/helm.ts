import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ASSET_FILE } from '@aws-cdk/asset-kubectl-v20';
import { unzipSync } from 'fflate';
import { parseAllDocuments } from 'yaml';

export const CHART = fileURLToPath(new URL('../../deploy/helm/rollcall', import.meta.url));

/** A rendered object of Kubernetes. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: unknown;
}

/**
 * Helm itself: the one that HELM names, else the one on the PATH, else the oldest that the chart supports, for Linux on
 * x64, which an npm package of AWS brings in a zip file.
 */
function findHelm(): string {
  const named = process.env['HELM'];
  if (named !== undefined) return named;
  if (spawnSync('helm', ['version']).status === 0) return 'helm';
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('these tests need helm on this machine: install it, or name it with HELM=/path/to/helm');
  }
  const folder = fileURLToPath(new URL('../../node_modules/.cache/helm', import.meta.url));
  const unpacked = join(folder, 'helm');
  if (!existsSync(unpacked)) {
    const { 'helm/helm': bytes = new Uint8Array() } = unzipSync(readFileSync(ASSET_FILE), {
      filter: ({ name }) => name === 'helm/helm',
    });
    mkdirSync(folder, { recursive: true });
    // Complete or not there, also when two runs unpack it at the same time.
    const beside = `${unpacked}-${process.pid}`;
    writeFileSync(beside, bytes, { mode: 0o755 });
    renameSync(beside, unpacked);
  }
  return unpacked;
}

let found: string | undefined;

/** Runs helm. `status` is 0 when it is content. */
export function helm(...args: readonly string[]) {
  found ??= findHelm();
  const { status, stdout, stderr } = spawnSync(found, args, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** The values that the chart is checked with: `ci/<name>-values.yaml`. */
export const VALUES: readonly string[] = readdirSync(join(CHART, 'ci')).map((file) => file.replace('-values.yaml', ''));

export function valuesFile(name: string): string {
  return join(CHART, 'ci', `${name}-values.yaml`);
}

/** Renders the release `rollcall` in the namespace `chat`, for a Kubernetes of today. */
export function template(name: string, more: readonly string[]) {
  const cluster = ['-n', 'chat', '--kube-version', '1.33.0'];
  return helm('template', 'rollcall', CHART, ...cluster, '-f', valuesFile(name), ...more);
}

/** The manifests of that release. @param more such as `--set x=y` */
export function render(name: string, ...more: readonly string[]): readonly Manifest[] {
  const { status, stdout, stderr } = template(name, more);
  if (status !== 0) throw new Error(stderr);
  // Parsed like Kubernetes: 0440 is octal.
  return parseAllDocuments(stdout, { version: '1.1' }).flatMap((document) => {
    const manifest: Manifest | null = document.toJS();
    return manifest === null ? [] : [manifest];
  });
}
