import { type Context, context, propagation, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import type { FastifyPluginCallback, FastifyRequest } from 'fastify';

/** A span for each request to the server. It has the route and not the address, which may name users. */
export function requestSpans(tracer: Tracer): FastifyPluginCallback {
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
