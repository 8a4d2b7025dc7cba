import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyPluginCallback,
  FastifyRequest,
  RawServerDefault,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Registry } from 'prom-client';
import type { ImportView } from '../api/imports.ts';
import type { Overview } from '../api/overview.ts';
import type { Role, Settings, SettingsAnswer } from '../api/service.ts';
import type { Service } from '../app/chat-service.ts';
import type { ImportRecord } from '../imports/catalog.ts';
import type { ControlHandler } from '../imports/life/control-socket.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
import type { StageFile } from '../imports/stage/staging.ts';
import type { Config } from '../platform/config.ts';
import type { DataDir } from '../platform/data-dir.ts';
import type { Logger } from '../platform/log.ts';
import type { SourceContext } from '../sources/named.ts';
import type { AccessStore, Who } from './access/access-store.ts';
import type { DataReader } from './data-reader.ts';
import type { Events } from './events/hub.ts';
import type { ImportViews } from './import-views.ts';
import type { RunningImports } from './running-imports.ts';
import type { Uploads } from './uploads/accept.ts';
import type { Recipes } from './uploads/upload-recipes.ts';

/** The server as routes are added to it: schemas are zod's. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** The parts of the server that routes need. A feature adds what it has opened. */
export interface ServerContext {
  readonly coordinator: Coordinator;
  readonly dir: DataDir;
  readonly access: AccessStore;
  readonly settings: Settings;
  /** The service is a sandbox in which every user may act in every group. */
  readonly anybodyActs?: boolean | undefined;
  readonly reading: DataReader;
  /** The context of sources that are fetched for users of the API. */
  readonly fetching: SourceContext;
  readonly views: ImportViews;
  readonly running: RunningImports;
  readonly events: Events;
  /** Absent where there are no recipes. */
  readonly recipes?: Recipes;
  readonly log: Logger;
  readonly registry: Registry;
  readonly features: readonly ServerFeature[];
  /** Whether the sender of a long request may still have its answer. */
  readonly isStillAllowed: (request: FastifyRequest) => boolean;
}

/** The options of a server. A feature adds the options that are its own. */
export interface ServerOptions extends Pick<ServerContext, 'coordinator' | 'dir' | 'access' | 'settings' | 'log'> {
  readonly config: Config;
  readonly service: Pick<Service, 'apps' | 'sandbox' | 'anybodyActs'>;
  /** Whether everyone needs a token; false only where no other machine can reach the server. */
  readonly tokenRequired: boolean;
  /** Says a sentence to who started it. */
  readonly say: (sentence: string) => void;
  /** Registers what is stopped after the server, and before the coordinator. */
  readonly onStop: (stop: () => Promise<void>) => void;
  /** Gets the error with which a feature cannot continue. */
  readonly fail: (error: Error) => void;
  /** Reads files into ledgers. Default: each in a thread of its own. */
  readonly stage?: StageFile | undefined;
  /** For metrics that other parts of this process use as well. Default: its own. */
  readonly registry?: Registry;
  /** Traces requests; not given: no traces. */
  readonly tracing?: FastifyPluginCallback | undefined;
  /** Proxies whose X-Forwarded-For counts: addresses, CIDR ranges, `loopback`, `uniquelocal`. Not given: none. */
  readonly trustProxy?: readonly string[];
  /** An upload that stalls for this long is given up, in ms. Default: a minute. */
  readonly uploadIdleMs?: number;
  /** Uploads at the same time; more are refused with BUSY. Default: 64. */
  readonly maxUploads?: number;
}

/** A feature's additions to the server: each part is optional, and called in the order of features.ts. */
export interface ServerFeature {
  /** Checks its settings before anything is opened: its options. @throws ConfigError @param flags of `rollcall serve` */
  readonly ready?: (config: Config, flags: object) => Promise<Partial<ServerOptions>>;
  /** Opens what it needs while the server runs: its part of the context. */
  readonly open?: (
    context: ServerContext,
    options: ServerOptions,
    app: Api,
  ) => Partial<ServerContext> | Promise<Partial<ServerContext>>;
  /** Adds its addresses. */
  readonly routes?: (app: Api, context: ServerContext) => void;
  /** Adds addresses whose bodies are files. @param scope leaves bodies to its routes */
  readonly files?: (scope: Api, context: ServerContext, uploads: Uploads) => void;
  /** An import with what the feature knows of it. */
  readonly view?: (context: ServerContext, record: ImportRecord, before: ImportView) => Promise<ImportView>;
  /** Its part of `GET /v1/settings`. */
  readonly settings?: (context: ServerContext) => Partial<SettingsAnswer>;
  /** `GET /v1/overview` with its part. */
  readonly overview?: (context: ServerContext, before: Overview) => Overview;
  /** Answers requests of other processes of this machine. */
  readonly control?: (context: ServerContext) => ControlHandler;
  /** Imports continue: it may begin its own work. */
  readonly started?: (context: ServerContext) => void;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly access: AccessStore;
    /** The target of this process. */
    readonly sendsTo: Coordinator['sendsTo'];
  }
  interface FastifyRequest {
    /** The sender. On public routes: everyone. */
    who: Who;
  }
  interface FastifyContextConfig {
    /** The least role that may use the route. Default: operator. */
    role?: Role | 'public';
    /** Its body is a file, and the route itself limits how large it may be and how slowly it may come. */
    takesFile?: boolean;
  }
}
