import type { FastifyReply, FastifyRequest } from 'fastify';
import { RollcallError } from '../errors/rollcall-error.ts';
import { type ConsoleFile, consoleBundle } from './console-bundle.ts';
import type { Api } from './context.ts';

/** Addresses of the console's own pages; those of a feature are among its routes. All get the same page. */
const PAGES = [
  '/',
  '/imports',
  '/imports/:id',
  '/imports/new/columns',
  '/members',
  '/members/:uid',
  '/audit',
  '/settings',
  '/login',
];

/** The name changes with the content: a browser need not ask for it again. */
const HAS_HASH = /-[A-Z0-9]{8}\.\w+(\.map)?$/;
const FOR_EVER = 'public, max-age=31536000, immutable';
const ASK_FIRST = 'no-cache';
const MARK = 'mark.svg';
const PUBLIC = { config: { role: 'public' }, schema: { hide: true } } as const;

/** Whether a browser asks for an address that does not exist: the console says so better than a problem document. */
export function isForPeople({ method, url, headers }: FastifyRequest): boolean {
  return method === 'GET' && headers.accept?.includes('text/html') === true && !/^\/(v1|assets)\//.test(url);
}

/** Sends the console's page, whatever the address: its script says if there is nothing. */
export async function sendPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return send(request, reply, (await consoleBundle()).page, ASK_FIRST);
}

/** The console's files: pages by their addresses, everything else under /assets. */
export function consoleRoutes(app: Api): void {
  app.get('/assets/:name', PUBLIC, async (request, reply) => {
    const { name } = request.params as { name: string };
    const file = (await consoleBundle()).assets.get(name);
    if (file === undefined) throw new RollcallError('NOT_FOUND', { what: `there is no asset ${name}` });
    return send(request, reply, file, HAS_HASH.test(name) ? FOR_EVER : ASK_FIRST);
  });
  // Asked for by browsers where a page names none: a report, the documentation.
  app.get('/favicon.ico', PUBLIC, async (request, reply) => {
    const file = (await consoleBundle()).assets.get(MARK);
    if (file === undefined) throw new RollcallError('NOT_FOUND', { what: 'there is no icon' });
    return send(request, reply, file, ASK_FIRST);
  });
  for (const url of PAGES) pageRoute(app, url);
}

/** An address that the console's own script takes care of: that of a page. */
export function pageRoute(app: Api, url: string): void {
  app.get(url, PUBLIC, sendPage);
}

function send(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { type, body, gzipped, tag }: ConsoleFile,
  caching: string,
): FastifyReply {
  reply.header('cache-control', caching).header('etag', tag).header('vary', 'accept-encoding').type(type);
  if (headers['if-none-match'] === tag) return reply.code(304).send();
  const packs = /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
  return packs ? reply.header('content-encoding', 'gzip').send(gzipped) : reply.send(body);
}
