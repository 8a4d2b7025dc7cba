import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { byRegion, REGIONS, type Region } from '../chat/service/regions.ts';
import type { Scope } from '../membership/membership.ts';
import { newKey } from './api-keys.ts';
import { type Behaviour, DEFAULT_BEHAVIOUR } from './behaviour.ts';
import { type Certificates, makeCertificates } from './certificates.ts';
import type { Group } from './group.ts';
import { namesUnder } from './host-names.ts';
import { type Fault, Faults, seededRandom } from './injected-faults.ts';
import { listen } from './listener.ts';
import type { ManagementKey } from './management.ts';
import { DEFAULT_RATE_LIMIT, type RateLimit, RateWindow } from './rate-limit.ts';
import { App, type User } from './sandbox-app.ts';
import { type AppKeys, Service, type Tenant } from './sandbox-service.ts';
import { type SeedDocument, seedApp, seedNumbers } from './seed.ts';
import { type Traffic, TrafficCounter } from './traffic.ts';

/** A sandbox: its ports, its limits, and what it knows at the start. */
export interface SandboxOptions {
  /** Default 0: any free one. */
  readonly port?: number;
  /** Address to listen on. Default 127.0.0.1: this machine only. */
  readonly listenOn?: string;
  /** Domain that takes the place of `<host>` in the service's addresses. Default `localhost`; another one must lead here. */
  readonly domain?: string;
  /** user-1 to user-N in every region, or `any`: every user asked about exists. Default 0. */
  readonly users?: number | 'any';
  /** group-1 to group-N in every region, or `any`. Default 0. */
  readonly groups?: number | 'any';
  /** More users, groups and members. */
  readonly seed?: SeedDocument;
  /** App ids and keys in place of made-up ones. */
  readonly apps?: Partial<Record<Region, Partial<AppKeys>>>;
  readonly management?: ManagementKey;
  /** Per app. Default 10,000 calls in each minute. */
  readonly rateLimit?: RateLimit;
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

export interface Sandbox {
  /** `localhost:PORT`, in place of `<host>` in the service's addresses. */
  readonly host: string;
  /** `https://localhost:PORT`. */
  readonly url: string;
  readonly port: number;
  /** Certificate authority to trust, PEM. */
  readonly caPem: string;
  readonly apps: Readonly<Record<Region, AppKeys>>;
  readonly management: ManagementKey;
  readonly randomSeed: number;
  /** Environment variables that make every other command talk to this sandbox. */
  readonly env: Readonly<Record<string, string>>;
  /** Live counters. */
  readonly calls: Readonly<Record<Region, Traffic>>;
  /** Can be set while the sandbox runs. */
  readonly faults: Faults;
  /** Makes a user unless it exists. False when no user can have that UID; it is then unknown to every call. */
  addUser(region: Region, uid: string): boolean;
  /** Makes a group unless it exists. False when no group can have that GUID. */
  addGroup(region: Region, guid: string): boolean;
  /** All users in a group by UID, with `ban` for the banned; empty for an unknown group. A copy. */
  members(region: Region, guid: string): Map<string, Scope>;
  /** A user as it is now, active or not; undefined when there is none. */
  user(region: Region, uid: string): User | undefined;
  /** A group as it is now; undefined when there is none. */
  group(region: Region, guid: string): Group['profile'] | undefined;
  /** Deactivates or reactivates a user; false when there is nothing to change. */
  setActive(region: Region, uid: string, active: boolean): boolean;
  /** Stops listening and cuts every connection. A second call returns the first one's promise. */
  close(): Promise<void>;
}

/** The users and groups of the start are so old, in ms: members may have joined long ago. */
const AGE_MS = 10 * 365 * 86_400_000;

/** Shared by the sandboxes of one process, so that clients can cache the authority. */
const made = new Map<string, Promise<Certificates>>();

function certificatesFor(names: readonly string[]): Promise<Certificates> {
  const known = made.get(names.join());
  if (known !== undefined) return known;
  const certificates = makeCertificates(names);
  made.set(names.join(), certificates);
  return certificates;
}

/**
 * Starts the chat service of docs/chat-service.md on this machine: HTTPS, one app in each region, all state in memory.
 * Apps are at `https://<app id>.api-<region>.localhost:<port>/v3`, management at `https://apimgmt.localhost:<port>`.
 * @throws Error when the port is in use or the certificate cannot be written, BAD_FAULT
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { now = Date.now, randomSeed = randomInt(2 ** 31), latencyMs = 0 } = options;
  const behaviour = { ...DEFAULT_BEHAVIOUR, ...options.behaviour };
  // Two generators, so that latency does not change which calls the faults hit.
  const faults = new Faults(seededRandom(randomSeed));
  faults.set(options.faults ?? []);
  const randomLatency = seededRandom(randomSeed + 1);
  const [from, to] = typeof latencyMs === 'number' ? [latencyMs, latencyMs] : latencyMs;
  // Users and groups of the start are a day old, so they are visible with any read delay.
  const createdAt = now() - AGE_MS;

  const tenants = byRegion((region) => makeTenant(region, options, behaviour, createdAt));
  const management = options.management ?? { key: newKey(), secret: newKey() };

  const { domain = 'localhost', listenOn = '127.0.0.1' } = options;
  const names = namesUnder(domain);
  const certificates = await certificatesFor(names.all);
  const { caPem } = certificates;
  const service = new Service({
    tenants,
    management,
    names,
    behaviour,
    faults,
    latencyMs: () => from + (to - from) * randomLatency(),
    now,
  });
  const listener = await listen({
    port: options.port ?? 0,
    listenOn,
    cert: certificates.serverPem,
    key: certificates.serverKeyPem,
    onRequest: (request, response) => void service.handle(request, response, () => listener.reset(request)),
  });

  let closing: Promise<void> | undefined;
  const close = () => (closing ??= listener.close());
  if (options.caFile !== undefined) {
    try {
      await writeFile(options.caFile, caPem, { mode: 0o644 });
    } catch (error) {
      await close();
      throw new Error(`the sandbox's certificate cannot be written to ${options.caFile}`, { cause: error });
    }
  }

  const host = `${domain}:${listener.port}`;
  const apps = byRegion((region) => tenants[region].keys);
  return {
    host,
    url: `https://${host}`,
    port: listener.port,
    caPem,
    apps,
    management,
    randomSeed,
    env: environment(host, apps, management, options.caFile),
    calls: byRegion((region) => tenants[region].traffic),
    faults,
    addUser: (region, uid) => tenants[region].app.addUser(uid) !== undefined,
    addGroup: (region, guid) => tenants[region].app.addGroup(guid) !== undefined,
    members: (region, guid) => tenants[region].app.members(guid),
    user: (region, uid) => tenants[region].app.anyUser(uid),
    group: (region, guid) => tenants[region].app.groups.get(guid.toLowerCase())?.profile,
    setActive: (region, uid, active) => tenants[region].app.setActive(uid, active, now()),
    close,
  };
}

/** @param createdAt of the users and groups of the start */
function makeTenant(region: Region, options: SandboxOptions, behaviour: Behaviour, createdAt: number): Tenant {
  const { users = 0, groups = 0 } = options;
  const keys = { appId: `sandbox-${region}`, apiKey: newKey(), authOnlyKey: newKey(), ...options.apps?.[region] };
  const app = new App({
    region,
    appId: keys.appId,
    createdAt,
    foldsIds: behaviour.capitalIds === 'fold',
    anyUser: users === 'any',
    anyGroup: groups === 'any',
  });
  const { apiKey, authOnlyKey } = keys;
  app.keys.set(apiKey, { apiKey, name: 'REST API Key', scope: 'fullAccess', createdAt });
  app.keys.set(authOnlyKey, { apiKey: authOnlyKey, name: 'Auth Key', scope: 'authOnly', createdAt });
  // First, because a group that it names may have an owner.
  if (options.seed !== undefined) seedApp(app, options.seed);
  seedNumbers(app, users === 'any' ? 0 : users, groups === 'any' ? 0 : groups);
  const window = new RateWindow(options.rateLimit ?? DEFAULT_RATE_LIMIT, behaviour.rateHeaders);
  const perMinute = { calls: behaviour.listsPerMinute, perMs: 60_000 };
  const lists = behaviour.listsPerMinute === 0 ? window : new RateWindow(perMinute, behaviour.rateHeaders);
  const imports = new RateWindow({ calls: behaviour.importsPerMinute, perMs: 60_000 }, behaviour.rateHeaders);
  return { app, keys, window, lists, imports, traffic: new TrafficCounter() };
}

function environment(
  host: string,
  apps: Record<Region, AppKeys>,
  { key, secret }: ManagementKey,
  caFile: string | undefined,
): Record<string, string> {
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
