import { setTimeout as sleep } from 'node:timers/promises';
import { type Context, context, propagation, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  CompositePropagator,
  ExportResultCode,
  W3CBaggagePropagator,
  W3CTraceContextPropagator,
} from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { BullMQOtel } from 'bullmq-otel';
import type { FastifyPluginCallback, FastifyRequest } from 'fastify';
import { REGIONS } from '../../chat/service/regions.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import type { CallObserver } from '../../imports/send/call-observer.ts';
import { VERSION } from '../../platform/packages.ts';
import { SlowDown } from '../../queue/job-definition.ts';
import { asClause } from '../../text/wording.ts';
import type { TracingSettings } from './tracing-settings.ts';

const NAME = 'rollcall';

/** Time in which what is left must be sent at the end, in ms. */
const STOP_MS = 800;

/** Hosts of the chat service. Others are not traced: the address of a receiver of notifications may be a secret. */
const SERVICE = new RegExp(`\\.api-(${REGIONS.join('|')})\\.`);

/** Traces all that this process does from now on. Everything else that OTEL_… variables say, the exporter reads itself. */
export function openTelemetry(settings: TracingSettings, warn: (text: string) => void) {
  let isLost = false;
  const lose = (why: string) => {
    if (isLost) return;
    isLost = true;
    warn(
      `traces are lost: ${why}. Everything else goes on; look at the OTEL_EXPORTER_OTLP_ variables and at the collector`,
    );
  };
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': NAME, 'service.version': VERSION }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(settings),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: telling(settings.protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter(), lose),
      }),
    ],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(
    new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
  );
  const calls = new UndiciInstrumentation({ ignoreRequestHook: ({ origin }) => !SERVICE.test(origin) });
  calls.setTracerProvider(provider);
  return {
    /** For queues and workers. */
    telemetry: new BullMQOtel({ tracerName: NAME, version: VERSION }),
    /** A span for each batch. */
    observer: batchSpans(provider.getTracer(NAME, VERSION)),
    /** For the HTTP server. */
    plugin: requestSpans(provider.getTracer(NAME, VERSION)),
    /** Sends what is left. */
    stop: async () => {
      calls.disable();
      // Do not wait for a receiver that is down.
      const sent = provider.shutdown().then(
        () => true,
        () => true,
      );
      if (!(await Promise.race([sent, sleep(STOP_MS, false)]))) lose('the collector does not answer');
      trace.disable();
      context.disable();
      propagation.disable();
    },
  };
}

/** An exporter that says why spans were not taken. It tries again by itself before it gives up. */
function telling(exporter: SpanExporter, lose: (why: string) => void): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code !== ExportResultCode.SUCCESS)
          lose(asClause(result.error?.message ?? 'the collector refuses them'));
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}

/** A span for each start of a batch, with region, attempt and counts. It names no user. */
function batchSpans(tracer: Tracer): CallObserver {
  return {
    around: (region, { id, payload, attemptsMade }, send) => {
      const attributes = {
        'rollcall.region': region,
        'rollcall.job': id,
        'rollcall.attempt': attemptsMade + 1,
        ...('importId' in payload && { 'rollcall.import': payload.importId, 'rollcall.batch': payload.batch }),
      };
      const name = 'importId' in payload ? 'rollcall.batch' : 'rollcall.read';
      return tracer.startActiveSpan(name, { kind: SpanKind.INTERNAL, attributes }, async (span) => {
        try {
          await send();
        } catch (error) {
          if (!(error instanceof SlowDown)) {
            span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof RollcallError ? error.code : '' });
          }
          throw error;
        } finally {
          span.end();
        }
      });
    },
    called: (_region, { httpStatus, code, kind }, _rate, { requestId }) => {
      trace.getActiveSpan()?.setAttributes({
        'rollcall.answer': kind,
        ...(code !== '' && { 'rollcall.code': code }),
        ...(httpStatus !== null && { 'http.response.status_code': httpStatus }),
        ...(requestId !== null && { 'rollcall.request': requestId }),
      });
    },
    settled: (_region, outcome, rows) => {
      trace.getActiveSpan()?.setAttribute(`rollcall.rows.${outcome}`, rows);
    },
  };
}

function samplerOf({ sampler, ratio }: TracingSettings): Sampler {
  const name = sampler.replace('parentbased_', '');
  const root =
    name === 'always_on'
      ? new AlwaysOnSampler()
      : name === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return sampler === name ? root : new ParentBasedSampler({ root });
}

/** A span for each request to the server. It has the route and not the address, which may name users. */
function requestSpans(tracer: Tracer): FastifyPluginCallback {
  const contexts = new WeakMap<FastifyRequest, Context>();
  const plugin: FastifyPluginCallback = (app, _options, done) => {
    app.addHook('onRequest', (request, reply, next) => {
      const { method, headers, routeOptions } = request;
      const { url: route } = routeOptions;
      const attributes = { 'http.request.method': method, ...(route !== undefined && { 'http.route': route }) };
      const parent = propagation.extract(context.active(), headers);
      const name = route === undefined ? method : `${method} ${route}`;
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
      reply.raw.once('close', () => {
        span.setAttribute('http.response.status_code', reply.statusCode);
        if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      });
      contexts.set(request, trace.setSpan(parent, span));
      next();
    });
    // A body that was read in between has left the context.
    app.addHook('preValidation', (request, _reply, next) => {
      context.with(contexts.get(request) ?? context.active(), next);
    });
    done();
  };
  // It counts for routes of the whole server.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}
