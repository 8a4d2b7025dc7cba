import { Command } from 'commander';
import { printable } from '../../text/wording.ts';
import { type End, EXIT, type ExitCode } from '../exit-codes.ts';
import { type CommonFlags, type SandboxFlags, withJson, withSandbox } from '../flags/flags.ts';
import { type Io, say } from '../screen/io.ts';
import { withManagement } from '../single-calls.ts';

type Flags = CommonFlags & SandboxFlags;

/** `rollcall apps`: lists the apps of the account. It needs the management key, which no import does. */
export function appsCommand(io: Io, end: End): Command {
  return withSandbox(withJson(new Command('apps'))).action((flags: Flags) => end(apps(io, flags)));
}

async function apps(io: Io, flags: Flags): Promise<ExitCode> {
  const found = await withManagement(flags, (management) => management.listApps());
  if (flags.json) {
    const shown = found.map(({ createdAt, ...app }) => ({ ...app, createdAt: timeOf(createdAt) }));
    io.out.write(`${JSON.stringify(shown)}\n`);
    return EXIT.ok;
  }
  if (found.length === 0) say(io, 'The account has no apps.');
  const width = Math.max(...found.map(({ id }) => id.length));
  for (const { id, region, name } of found)
    io.out.write(
      `${printable(id).padEnd(width)}  ${(region ?? '').padEnd(2)}  ${printable(name ?? '')}`.trimEnd().concat('\n'),
    );
  return EXIT.ok;
}

/** @param seconds since 1970 */
export function timeOf(seconds: number | null): string | null {
  return seconds === null ? null : new Date(seconds * 1000).toISOString();
}
