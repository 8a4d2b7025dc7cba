import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { byRegion, REGIONS, type Region } from '../chat/service/regions.ts';
import { type Behaviour, DEFAULT_BEHAVIOUR } from './behaviour.ts';
import { certificateFor, listen } from './https.ts';
import { type Fault, faultsWith, seededRandom } from './injected-faults.ts';
import { createService, hostNames, type ManagementKey } from './sandbox-service.ts';
import { type AppKeys, makeTenant, newKey, type TenantOptions } from './tenant.ts';

/** A sandbox: its ports, its limits, and what it knows at the start. */
export interface SandboxOptions extends TenantOptions {
  /** Default 0: any free one. */
  readonly port?: number;
  /** Address to listen on. Default 127.0.0.1: this machine only. */
  readonly listenOn?: string;
  /** Domain that takes the place of `<host>` in the service's addresses. Default `localhost`; another one must lead here. */
  readonly domain?: string;
  readonly management?: ManagementKey;
  /** Milliseconds that every call takes, or from and to. Default 0. */
  readonly latencyMs?: number | readonly [from: number, to: number];
  /** Faults to start with, as `parseFaults` reads them or ready made. */
  readonly faults?: string | readonly Fault[];
  /** Decides which calls faults hit and how long calls take. Default: another at each start. */
  readonly randomSeed?: number;
  /** Choices where the contract is silent. */
  readonly behaviour?: Partial<Behaviour>;
  /** The path for the certificate authority (PEM, mode 0644), so that other processes can trust the sandbox. */
  readonly caFile?: string;
  /** Clock in milliseconds since 1970, for timestamps and rate windows. Default Date.now. */
  readonly now?: () => number;
}

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/** The users and groups of the start are so old, in ms: members may have joined long ago. */
const AGE_MS = 10 * 365 * 86_400_000;

/**
 * Starts the chat service of docs/chat-service.md on this machine: HTTPS, one app in each region, all state in memory.
 * Apps are at `https://<app id>.api-<region>.localhost:<port>/v3`, management at `https://apimgmt.localhost:<port>`.
 * @throws Error when the port is in use or the certificate cannot be written, BAD_FAULT
 */
export async function startSandbox(options: SandboxOptions = {}) {
  const { now = Date.now, randomSeed = randomInt(2 ** 31), latencyMs = 0 } = options;
  const behaviour = { ...DEFAULT_BEHAVIOUR, ...options.behaviour };
  // Two generators, so that latency does not change which calls the faults hit.
  const faults = faultsWith(seededRandom(randomSeed));
  faults.set(options.faults ?? []);
  const randomLatency = seededRandom(randomSeed + 1);
  const [from, to] = typeof latencyMs === 'number' ? [latencyMs, latencyMs] : latencyMs;
  const createdAt = now() - AGE_MS;
  const tenants = byRegion((region) => makeTenant(region, options, behaviour, createdAt));
  const management = options.management ?? { key: newKey(), secret: newKey() };
  const { domain = 'localhost', listenOn = '127.0.0.1', port = 0 } = options;
  const { cert, key } = await certificateFor(hostNames(domain));
  const latency = () => from + (to - from) * randomLatency();
  const answer = createService({ tenants, management, domain, behaviour, faults, latencyMs: latency, now });
  const listener = await listen({
    port,
    listenOn,
    cert,
    key,
    onRequest: (request, response) => void answer(request, response, () => listener.reset(request)),
  });
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= listener.close());
  if (options.caFile !== undefined) {
    try {
      await writeFile(options.caFile, cert, { mode: 0o644 });
    } catch (error) {
      await close();
      throw new Error(`the sandbox's certificate cannot be written to ${options.caFile}`, { cause: error });
    }
  }

  const host = `${domain}:${listener.port}`;
  const apps = byRegion((region) => tenants[region].keys);
  return {
    /** `localhost:PORT`, in place of `<host>` in the service's addresses. */
    host,
    url: `https://${host}`,
    port: listener.port,
    /** Certificate authority to trust, PEM. */
    caPem: cert,
    apps,
    management,
    randomSeed,
    /** Environment variables that make every other command talk to this sandbox. */
    env: environment(host, apps, management, options.caFile),
    calls: byRegion((region) => tenants[region].traffic.counts),
    /** Can be set while the sandbox runs. */
    faults,
    /** Makes a user unless it exists. False when no user can have that UID; it is then unknown to every call. */
    addUser: (region: Region, uid: string) => tenants[region].app.users.add(uid) !== undefined,
    /** Makes a group unless it exists. False when no group can have that GUID. */
    addGroup: (region: Region, guid: string) => tenants[region].app.groups.add(guid) !== undefined,
    /** All users in a group by UID, with `ban` for the banned; empty for an unknown group. A copy. */
    members: (region: Region, guid: string) => tenants[region].app.members(guid),
    /** A user as it is now, active or not; undefined when there is none. */
    user: (region: Region, uid: string) => tenants[region].app.users.get(uid),
    /** A group as it is now; undefined when there is none. */
    group: (region: Region, guid: string) => tenants[region].app.groups.all.get(guid.toLowerCase())?.profile,
    /** Deactivates or reactivates a user; false when there is nothing to change. */
    setActive: (region: Region, uid: string, active: boolean) => tenants[region].app.setActive(uid, active, now()),
    /** Stops listening and cuts every connection. A second call returns the first one's promise. */
    close,
    [Symbol.asyncDispose]: close,
  };
}

function environment(
  host: string,
  apps: Record<Region, AppKeys>,
  { key, secret }: ManagementKey,
  caFile: string | undefined,
) {
  const env: Record<string, string> = { ROLLCALL_HOST: host };
  for (const region of REGIONS) {
    const prefix = `ROLLCALL_${region.toUpperCase()}`;
    env[`${prefix}_APP_ID`] = apps[region].appId;
    env[`${prefix}_API_KEY`] = apps[region].apiKey;
  }
  env['ROLLCALL_MANAGEMENT_KEY'] = key;
  env['ROLLCALL_MANAGEMENT_SECRET'] = secret;
  if (caFile !== undefined) env['ROLLCALL_CA_FILE'] = caFile;
  return env;
}
