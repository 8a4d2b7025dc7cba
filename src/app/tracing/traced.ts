import type { FastifyPluginCallback } from 'fastify';
import type { CallObserver } from '../../imports/send/call-observer.ts';
import type { QueueTelemetry } from '../../queue/backend.ts';

/** Traces by OpenTelemetry, where the standard variables ask for them. */
export interface Tracing {
  /** For queues and workers. */
  readonly telemetry: QueueTelemetry;
  /** A span for each batch. */
  readonly observer: CallObserver;
  /** For the HTTP server. */
  readonly plugin: FastifyPluginCallback;
  /** Sends what is left. */
  stop(): Promise<void>;
}
