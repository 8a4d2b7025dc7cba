import type { Aimed } from '../imports/target.ts';
import type { Config } from '../platform/config.ts';
import { USUAL_CALLS_PER_MINUTE } from '../platform/settings.ts';
import { dispatchOnly, NO_SERVICE, type Service, serviceOf, serviceTarget } from './chat-service.ts';

interface ServiceChoice {
  readonly sandbox?: boolean | undefined;
  /** Path of a JSON file with users and groups; without one the sandbox knows every group and user. */
  readonly sandboxSeed?: string;
  readonly sandboxFaults?: string;
  /** With a shared queue: also send from this process. */
  readonly withWorkers?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
}

/** The target of a command, as its settings and flags say it. */
export function aimOf(config: Config, flags: { readonly sandbox?: boolean }): Aimed {
  const { sandbox = false } = flags;
  return { sandbox, target: serviceTarget({ ...config, sandbox }) };
}

export type OpenedService = Service & { close(): Promise<void> };

/** Opens the service that calls go to. @throws BAD_SETTING for settings that are missing */
export async function openService(config: Config, choice: ServiceChoice): Promise<OpenedService> {
  if (choice.sandbox) {
    const callsPerMinute = config.budgetShare === undefined ? config.callsPerMinute : USUAL_CALLS_PER_MINUTE;
    return openSandbox(choice, callsPerMinute, config.listsPerMinute);
  }
  // A dry run is meant for the apps of the settings, if they name any.
  if (choice.dryRun) {
    const { profile, host = '', apps } = config;
    return { ...NO_SERVICE, profile, host, apps, close: async () => {} };
  }
  const service = config.queue !== undefined && !choice.withWorkers ? dispatchOnly(config) : serviceOf(config);
  return { ...service, close: async () => {} };
}

/** A sandbox in this process, as the service that calls go to. Without a seed it knows every group and user. */
async function openSandbox(choice: ServiceChoice, callsPerMinute: number, listsPerMinute = 0): Promise<OpenedService> {
  // An import that calls a real service needs no service of its own.
  const [{ startSandbox }, { readSeed }] = await Promise.all([
    import('../sandbox/sandbox.ts'),
    import('../sandbox/seed.ts'),
  ]);
  const sandbox = await startSandbox({
    ...(choice.sandboxSeed === undefined
      ? { users: 'any', groups: 'any', behaviour: { actingUser: 'anybody', listsPerMinute } }
      : { seed: await readSeed(choice.sandboxSeed), behaviour: { listsPerMinute } }),
    faults: choice.sandboxFaults ?? '',
    rateLimit: { calls: callsPerMinute, perMs: 60_000 },
  });
  const { host, apps, management, caPem: ca } = sandbox;
  return {
    sends: true,
    sandbox: true,
    anybodyActs: choice.sandboxSeed === undefined,
    host,
    apps,
    management,
    ca,
    close: () => sandbox.close(),
  };
}
