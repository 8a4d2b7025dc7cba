import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { PACKAGE_FOLDER, VERSION } from '../../platform/packages.ts';
import type { Action } from '../exit-codes.ts';
import { withJson } from '../flags/flags.ts';
import { type Io, printJson } from '../screen/io.ts';

/** `rollcall version`: what a bug report should say about the installation. */
export function versionCommand(action: Action) {
  return withJson(new Command('version')).action(action(version));
}

async function version(io: Io, { json }: { readonly json?: true }) {
  const folder = fileURLToPath(PACKAGE_FOLDER);
  const facts = {
    version: VERSION,
    node: process.versions.node,
    sqlite: process.versions['sqlite'] ?? null,
    platform: process.platform,
    arch: process.arch,
    folder,
    sources: existsSync(new URL('src/cli/main.ts', PACKAGE_FOLDER)),
  };
  if (json) {
    printJson(io, facts);
    return;
  }
  const { node, sqlite, platform, arch, sources } = facts;
  const lines = [
    `rollcall ${VERSION}`,
    `node ${node}, sqlite ${sqlite}, ${platform} ${arch}`,
    `${sources ? 'running from the sources in' : 'installed in'} ${folder}`,
  ];
  io.out.write(`${lines.join('\n')}\n`);
}
