import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/**
 * The licence of an installed package, where the lock file has none: it takes none of a manifest that has the older list
 * `licenses`.
 * @param path in the lock file, such as `node_modules/ssh2`
 */
export function licenceOf(path: string, { license }: { readonly license?: string }): string | undefined {
  if (license !== undefined || path === '') return license;
  const { licenses = [] }: { readonly licenses?: readonly { readonly type?: string }[] } = JSON.parse(
    readFileSync(join(ROOT, path, 'package.json'), 'utf8'),
  );
  return licenses.length === 1 ? licenses[0]?.type : undefined;
}
