import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { tracingSettings } from '../../src/app/tracing/tracing-settings.ts';
import { members, openWorkplace } from '../cli/workplace.ts';
import { eventually } from '../eventually.ts';

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly kind: number;
  readonly attributes: readonly { key: string; value: { stringValue?: string; intValue?: number } }[];
}

/** The number of this kind in OTLP. */
const SERVER = 2;
/** The trace of a program that sends a request. */
const CALLER = '4bf92f3577b34da6a3ce929d0e0e4736';

/** A receiver of OTLP/JSON. */
async function collector() {
  const spans: Span[] = [];
  const bodies: string[] = [];
  const server = createServer(async (request, reply) => {
    const body = Buffer.concat(await request.toArray()).toString();
    bodies.push(body);
    for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
      bodies.push(JSON.stringify(resource));
      for (const { spans: some } of scopeSpans) spans.push(...some);
    }
    reply.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { endpoint, spans, text: () => bodies.join('\n') };
}

const attributesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));

test('with OTEL_EXPORTER_OTLP_ENDPOINT, requests, queue, batches and calls are traced', async () => {
  const { endpoint, spans, text } = await collector();
  const place = await openWorkplace({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_SERVICE_NAME: 'rollcall-nightly',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    },
  });
  const server = place.start(['serve', '--sandbox', '--sandbox-faults', 'unavailable=1', '--port', '0'], {
    stays: true,
  });
  await server.says('Listening on http://');
  const address = /Listening on (\S+)/.exec(server.stderr())?.[1];
  const body = members([
    ['g1', 'ann-of-arc'],
    ['g1', 'ben-of-arc'],
  ]);
  const uploaded = await fetch(`${address}/v1/imports?name=m.csv&banCheck=false`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv', traceparent: `00-${CALLER}-00f067aa0ba902b7-01` },
    body,
  });
  const { id } = (await uploaded.json()) as { id: string };
  await eventually(async () => (await fetch(`${address}/v1/imports/${id}`)).json()).toMatchObject({
    state: 'completed',
  });

  const batches = () => spans.filter(({ name }) => name === 'rollcall.batch');
  const about = { 'rollcall.region': 'us', 'rollcall.import': id, 'rollcall.batch': 1 };
  await eventually(() => batches().map(attributesOf)).toMatchObject([
    { ...about, 'rollcall.attempt': 1, 'rollcall.code': 'HTTP_503', 'http.response.status_code': 503 },
    // The question for the group's members, before the call is repeated.
    { ...about, 'rollcall.attempt': 2, 'http.response.status_code': 200 },
    { ...about, 'rollcall.attempt': 2, 'rollcall.rows.added': 2, 'http.response.status_code': 200 },
  ]);
  const [first] = batches();
  const sameTrace = () => spans.filter(({ traceId }) => traceId === first?.traceId).map(({ name }) => name);
  // The queue's span around it, and the call within it.
  await eventually(sameTrace).toEqual(expect.arrayContaining([expect.stringMatching(/process/), 'POST']));
  const requests = () => spans.filter(({ traceId, kind }) => traceId === CALLER && kind === SERVER);
  await eventually(() => requests().map((span) => [span.name, attributesOf(span)])).toEqual([
    [
      'POST /v1/imports',
      { 'http.request.method': 'POST', 'http.route': '/v1/imports', 'http.response.status_code': 202 },
    ],
  ]);
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
  expect(text()).toContain('"deployment.environment"');
  expect(text()).toContain('"rollcall-nightly"');
  expect(text()).not.toContain('-of-arc');
});

test('a collector that never answers does not hold up the end, and that traces are lost is said once', async () => {
  const silent = createTcpServer().listen(0, '127.0.0.1');
  const sockets = new Set<Socket>();
  silent.on('connection', (socket) => sockets.add(socket.on('error', () => {})));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  // Else the exporter would give up by itself, after 10 seconds.
  const waits = { OTEL_EXPORTER_OTLP_TIMEOUT: '600000', OTEL_BSP_EXPORT_TIMEOUT: '600000' };
  const place = await openWorkplace({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, ...waits } });
  const file = place.file('members.csv', members([['g1', 'ann']]));
  const { ended } = place.start(['import', file, '--sandbox']);
  const { code, stderr } = await ended;
  expect(code).toBe(0);
  expect(stderr.match(/Warning: traces are lost: the collector does not answer\./g)).toHaveLength(1);
});

const settings = (variables: Record<string, string>) => tracingSettings((name) => variables[name]);
const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

test.each([
  [{}],
  [{ ...ENDPOINT, OTEL_SDK_DISABLED: 'true' }],
  [{ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }],
  [{ OTEL_SERVICE_NAME: 'rollcall' }],
])('with %j nothing is traced', (variables) => {
  expect(settings(variables)).toBeUndefined();
});

test.each([
  [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER is "zipkin"; allowed are otlp, none'],
  [
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"; allowed are http/protobuf, http/json',
  ],
  [{ OTEL_TRACES_SAMPLER: 'some' }, 'OTEL_TRACES_SAMPLER is "some"; allowed are always_on'],
])('%j is refused with what is allowed', (variables, says) => {
  expect(() => settings({ ...ENDPOINT, ...variables })).toThrow(says);
});
