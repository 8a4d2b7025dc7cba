import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** The licence of an installed package, also where its manifest has the older list `licenses`. @param path such as `node_modules/ssh2` */
export function licenceOf(path: string): string | undefined {
  const manifest: { readonly license?: string; readonly licenses?: readonly { readonly type?: string }[] } = JSON.parse(
    readFileSync(join(ROOT, path, 'package.json'), 'utf8'),
  );
  const { license, licenses = [] } = manifest;
  return license ?? (licenses.length === 1 ? licenses[0]?.type : undefined);
}

/** The packages of which the console's files contain parts, by its source maps: their licences go with it. */
export function packagesIn(texts: ReadonlyMap<string, Buffer>) {
  const maps = [...texts].filter(([name]) => name.endsWith('.map')).map(([, body]) => body.toString());
  const found = maps.flatMap((map) => [...map.matchAll(/node_modules\/((?:@[\w.-]+\/)?[\w.-]+)\//g)]);
  return [...new Set(['@primer/octicons', 'swagger-ui-dist', ...found.flatMap(([, name]) => name ?? [])])].toSorted();
}
