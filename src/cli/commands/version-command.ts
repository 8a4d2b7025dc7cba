import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { PACKAGE_FOLDER, VERSION } from '../../platform/package-folder.ts';
import { type End, EXIT, type ExitCode } from '../exit-codes.ts';
import { withJson } from '../flags/flags.ts';
import type { Io } from '../screen/io.ts';

/** `rollcall version`: what a bug report should say about the installation. */
export function versionCommand(io: Io, end: End): Command {
  return withJson(new Command('version')).action((flags: { readonly json?: true }) => end(version(io, flags)));
}

async function version(io: Io, { json }: { readonly json?: true }): Promise<ExitCode> {
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
    io.out.write(`${JSON.stringify(facts)}\n`);
    return EXIT.ok;
  }
  const { node, sqlite, platform, arch, sources } = facts;
  const lines = [
    `rollcall ${VERSION}`,
    `node ${node}, sqlite ${sqlite}, ${platform} ${arch}`,
    `${sources ? 'running from the sources in' : 'installed in'} ${folder}`,
  ];
  io.out.write(`${lines.join('\n')}\n`);
  return EXIT.ok;
}
