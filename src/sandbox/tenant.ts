import { randomBytes } from 'node:crypto';
import type { Region } from '../chat/service/regions.ts';
import type { Behaviour } from './behaviour.ts';
import { createApp } from './sandbox-app.ts';
import { type SeedDocument, seedApp, seedNumbers } from './seed.ts';

/** Address and first keys of an app; the names of their scopes are in docs/chat-service.md, 9. */
export interface AppKeys {
  readonly appId: string;
  /** Scope fullAccess. */
  readonly apiKey: string;
  /** Scope authOnly. */
  readonly authOnlyKey: string;
}

/** The contents of an app at the start, and its rate limit. */
export interface TenantOptions {
  /** user-1 to user-N in every region, or `any`: every user asked about exists. Default 0. */
  readonly users?: number | 'any';
  /** group-1 to group-N in every region, or `any`. Default 0. */
  readonly groups?: number | 'any';
  /** More users, groups and members. */
  readonly seed?: SeedDocument;
  /** App ids and keys in place of made-up ones. */
  readonly apps?: Partial<Record<Region, Partial<AppKeys>>>;
  /** Per app. Default 10,000 calls in each minute. */
  readonly rateLimit?: RateLimit;
}

/** An app with all that is kept per app. */
export type Tenant = ReturnType<typeof makeTenant>;

/** @param createdAt of the users and groups of the start */
export function makeTenant(region: Region, options: TenantOptions, behaviour: Behaviour, createdAt: number) {
  const { users = 0, groups = 0, rateLimit = DEFAULT_RATE_LIMIT } = options;
  const keys: AppKeys = {
    appId: `sandbox-${region}`,
    apiKey: newKey(),
    authOnlyKey: newKey(),
    ...options.apps?.[region],
  };
  const { appId, apiKey, authOnlyKey } = keys;
  const app = createApp(region, appId, createdAt, behaviour, { users, groups });
  app.keys.set(apiKey, { apiKey, name: 'REST API Key', scope: 'fullAccess', createdAt });
  app.keys.set(authOnlyKey, { apiKey: authOnlyKey, name: 'Auth Key', scope: 'authOnly', createdAt });
  // First, because a group that it names may have an owner.
  if (options.seed !== undefined) seedApp(app, options.seed);
  seedNumbers(app, users === 'any' ? 0 : users, groups === 'any' ? 0 : groups);
  const budget = (limit: RateLimit) => rateWindow(limit, behaviour.rateHeaders);
  const window = budget(rateLimit);
  return {
    app,
    keys,
    window,
    /** The window of calls that only read; the same one if all calls share a budget. */
    lists: behaviour.listsPerMinute === 0 ? window : budget({ calls: behaviour.listsPerMinute, perMs: 60_000 }),
    imports: budget({ calls: behaviour.importsPerMinute, perMs: 60_000 }),
    traffic: trafficCounter(),
  };
}

/** 40 hexadecimal characters, as the service's keys have. */
export function newKey() {
  return randomBytes(20).toString('hex');
}

/** Calls that an app may make in each window; windows are fixed and start at multiples of their length. */
interface RateLimit {
  readonly calls: number;
  readonly perMs: number;
}

/** Documented for the kind of operation that add members is, per app. */
const DEFAULT_RATE_LIMIT: RateLimit = { calls: 10_000, perMs: 60_000 };

export type Headers = Readonly<Record<string, string | number>>;

/** Counts the calls of one app in the present window. */
function rateWindow({ calls, perMs }: RateLimit, spelling: Behaviour['rateHeaders']) {
  let current = -1;
  let used = 0;
  /** The additional headers of a 429. @param resetAt the time from which calls are taken again, in ms since 1970 */
  const refusal = (resetAt: number, now: number) => ({
    'Retry-After': Math.max(1, Math.ceil((resetAt - now) / 1000)),
    [`${spelling}-Reset`]: Math.ceil(resetAt / 1000),
  });
  return {
    refusal,
    /** Takes one call of the window at `now` (ms since 1970), if one is left. The headers belong on the reply either way. */
    take: (now: number) => {
      const window = Math.floor(now / perMs);
      if (window !== current) {
        current = window;
        used = 0;
      }
      const limited = used >= calls;
      if (!limited) used += 1;
      const headers: Headers = {
        [spelling === 'X-Rate-Limit' ? spelling : 'X-RateLimit-Limit']: calls,
        [`${spelling}-Remaining`]: calls - used,
        ...(limited && refusal((window + 1) * perMs, now)),
      };
      return { limited, headers };
    },
  };
}

/** Counts the calls of one region since the start: requests = the sum of byStatus + unanswered + those still open. */
function trafficCounter() {
  let open = 0;
  const counts = {
    requests: 0,
    /** Answers by status; one that a fault cut off or changed counts with its status. */
    byStatus: {} as Record<number, number>,
    /** Calls over the rate limit, among those with 429; the 429 of a fault does not count. */
    rateLimited: 0,
    /** Calls whose connection ended without an answer. */
    unanswered: 0,
    /** Most calls that were open at one moment; without latency this is hardly ever more than 1. */
    maxConcurrent: 0,
  };
  return {
    counts,
    arrived: () => {
      counts.requests += 1;
      open += 1;
      counts.maxConcurrent = Math.max(counts.maxConcurrent, open);
    },
    /** @param status undefined for a call that got no answer */
    ended: (status: number | undefined) => {
      open -= 1;
      if (status === undefined) counts.unanswered += 1;
      else counts.byStatus[status] = (counts.byStatus[status] ?? 0) + 1;
    },
  };
}
