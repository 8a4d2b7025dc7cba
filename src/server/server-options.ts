import type { FastifyPluginCallback } from 'fastify';
import type { Registry } from 'prom-client';
import type { Settings } from '../api/service.ts';
import type { App } from '../app/app.ts';
import type { Service } from '../app/chat-service.ts';
import type { Receiver } from '../features/notify/receiver.ts';
import type { StageFile } from '../imports/stage/staging.ts';
import type { Config } from '../platform/config.ts';
import type { AccessStore } from './access/access-store.ts';

/** The options of a server. */
export interface ServerOptions extends Pick<App, 'coordinator' | 'dir' | 'log'> {
  readonly access: AccessStore;
  readonly settings: Settings;
  readonly config: Config;
  readonly service: Pick<Service, 'apps' | 'sandbox' | 'anybodyActs'>;
  /** Whether everyone needs a token; false only where no other machine can reach the server. */
  readonly tokenRequired: boolean;
  /** Registers what is stopped after the server, and before the coordinator. */
  readonly onStop: (stop: () => Promise<void>) => void;
  /** Gets the error with which the server cannot continue. */
  readonly fail: (error: Error) => void;
  /** Reads files into ledgers. Default: each in a thread of its own. */
  readonly stage?: StageFile | undefined;
  /** The metrics, which other parts of this process use as well. */
  readonly registry: Registry;
  /** Traces requests; not given: no traces. */
  readonly tracing?: FastifyPluginCallback | undefined;
  /** Proxies whose X-Forwarded-For counts: addresses, CIDR ranges, `loopback`, `uniquelocal`. Not given: none. */
  readonly trustProxy?: readonly string[] | undefined;
  /** An upload that stalls for this long is given up, in ms. Default: a minute. */
  readonly uploadIdleMs?: number;
  /** Uploads at the same time; more are refused with BUSY. Default: 64. */
  readonly maxUploads?: number;
  /** Notified of finished imports; not given: who an admin has set. Closed with the server. */
  readonly receiver?: Receiver | undefined;
  /** Whether a receiver that an admin sets may be on this machine or a private network. Default: no. */
  readonly notifyPrivate?: boolean;
  /** The notifier's minimum outage, in ms. */
  readonly outageMs?: number;
  /** Pages hear of imports so often, in ms. Default: a second. */
  readonly eventsEveryMs?: number;
}
