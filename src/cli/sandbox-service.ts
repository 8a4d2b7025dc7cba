import { readFile } from 'node:fs/promises';
import type { Service } from '../app/compose.ts';
import { messageOf } from '../errors/message-of.ts';
import { RollcallError } from '../errors/rollcall-error.ts';
import { startSandbox } from '../sandbox/sandbox.ts';
import { parseSeed, type SeedDocument } from '../sandbox/seed.ts';
import type { SandboxFlags } from './flags/flags.ts';

/** A sandbox in this process, as the service that calls go to. Without a seed it knows every group and user. */
export async function openSandboxService(
  flags: Pick<SandboxFlags, 'sandboxSeed' | 'sandboxFaults'>,
  callsPerMinute: number,
): Promise<Service & { close(): Promise<void> }> {
  const sandbox = await startSandbox({
    ...(flags.sandboxSeed === undefined
      ? { users: 'any', groups: 'any', behaviour: { actingUser: 'anybody' } }
      : { seed: await readSeed(flags.sandboxSeed) }),
    faults: flags.sandboxFaults ?? '',
    rateLimit: { calls: callsPerMinute, perMs: 60_000 },
  });
  const { host, apps, caPem: ca } = sandbox;
  return { sends: true, sandbox: true, host, apps, ca, close: () => sandbox.close() };
}

export class SeedUnreadable extends RollcallError {
  constructor(message: string, options?: ErrorOptions) {
    super('BAD_SEED', message, options);
  }
}

/** @throws SeedUnreadable, SeedError */
export async function readSeed(path: string): Promise<SeedDocument> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const why = messageOf(error);
    throw new SeedUnreadable(`the seed file ${path} cannot be read: ${why}`, { cause: error });
  }
  return parseSeed(text, path);
}
