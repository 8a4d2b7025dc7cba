import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { z } from 'zod';
import { callMetrics, regionGauges } from '../app/call-metrics.ts';
import { messageOf } from '../errors/rollcall-error.ts';
import { depthOf } from '../imports/send/region-queues.ts';
import type { WorkingRegion } from '../imports/send/worker-process.ts';
import { REGIONS } from '../membership/membership.ts';
import { isLoopback } from '../platform/hosts.ts';
import { readCircuit } from '../queue/circuit.ts';
import { readFlow } from '../queue/flow.ts';
import { answersSoon } from '../server/http-answers.ts';
import { jsonOrUndefined } from '../text/json-or-undefined.ts';

/**
 * A worker's health and its metrics, by region, for Prometheus.
 * `GET /healthz`: the process runs. `GET /readyz`: the queue answers. `GET /metrics`: for Prometheus.
 * `PUT /concurrency` with `{"region":"us","concurrency":40}`: calls at the same time, from now on.
 */
export function workerHealth(port: number, host: string) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    observer: callMetrics(registry),
    /** Reads the queues when it is asked for metrics. A queue that does not answer is left out. */
    serve: async (regions: readonly WorkingRegion[]) => {
      regionGauges(registry, async () => {
        const known = regions.map((one) => answersSoon(stateOf(one)).catch(() => []));
        return (await Promise.all(known)).flat();
      });
      const server = createServer((request, reply) => {
        answer(request, reply, regions, registry).catch((error: unknown) => {
          send(reply, 503, { status: 'not ready', message: messageOf(error) });
        });
      });
      await once(server.listen(port, host), 'listening');
      return {
        port: (server.address() as AddressInfo).port,
        close: async () => {
          server.closeAllConnections();
          await server[Symbol.asyncDispose]();
        },
      };
    },
  };
}

async function stateOf(working: WorkingRegion) {
  const { region, queue, silent } = working;
  const [depth, limitedForMs, callsPerMinute, importsPerMinute, flow, stopped, circuit] = await Promise.all([
    depthOf(working),
    queue.limitedForMs(),
    queue.callsPerMinute(),
    silent.callsPerMinute(),
    queue.readNote('flow'),
    queue.isPaused(),
    queue.readNote('circuit'),
  ]);
  const isAway = readCircuit(circuit).openedAt !== null;
  const atOnce = readFlow(flow)?.limit;
  return { region, ...depth, limitedForMs, callsPerMinute, importsPerMinute, atOnce, stopped, isAway };
}

const change = z.strictObject({ region: z.enum(REGIONS), concurrency: z.int().min(1).max(1000) });
const MAX_BODY_LENGTH = 1_000;

async function answer(
  request: IncomingMessage,
  reply: ServerResponse,
  regions: readonly WorkingRegion[],
  registry: Registry,
) {
  const stranger = strangerIn(request);
  if (stranger !== undefined) return send(reply, 403, { message: stranger });
  switch (`${request.method} ${request.url}`) {
    case 'GET /healthz':
      return send(reply, 200, { status: 'ok', regions: regions.map(({ region }) => region) });
    case 'GET /readyz': {
      await answersSoon(Promise.all(regions.map(({ queue }) => queue.depth())));
      return send(reply, 200, { status: 'ready' });
    }
    case 'GET /metrics':
      reply.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics());
      return;
    case 'PUT /concurrency':
      return changeConcurrency(request, reply, regions);
    default:
      send(reply, 404, { message: `there is no ${request.method} ${request.url}` });
  }
}

/** The refusal of a request that a web page has sent: no page is served here, so none has a reason to. */
function strangerIn({ headers, socket }: IncomingMessage) {
  const site = headers['sec-fetch-site'];
  if (headers.origin !== undefined || (site !== undefined && site !== 'none'))
    return 'pages of browsers are not answered';
  const name = (headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
  if (!isLoopback(socket.localAddress?.replace(/^::ffff:/, '') ?? '') || isLoopback(name)) return undefined;
  return `the Host header is ${JSON.stringify(headers.host ?? '')}; on this machine only loopback names are answered`;
}

async function changeConcurrency(request: IncomingMessage, reply: ServerResponse, regions: readonly WorkingRegion[]) {
  let body = '';
  for await (const chunk of request) {
    body += chunk;
    if (body.length > MAX_BODY_LENGTH) return send(reply, 413, { message: 'the body is too long' });
  }
  const read = change.safeParse(jsonOrUndefined(body));
  const found = regions.find(({ region }) => region === read.data?.region);
  if (!read.success || found === undefined) {
    const served = regions.map(({ region }) => region).join(', ');
    return send(reply, 400, { message: `expected {"region": one of ${served}, "concurrency": 1 to 1000}` });
  }
  found.worker.setConcurrency(read.data.concurrency);
  send(reply, 200, read.data);
}

function send(reply: ServerResponse, status: number, body: unknown) {
  reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
