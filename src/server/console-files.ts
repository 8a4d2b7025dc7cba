import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import files from '@fastify/static';
import type { FastifyRequest } from 'fastify';
import type { Api } from './context.ts';
import { Problem } from './problem.ts';

const CONSOLE = fileURLToPath(new URL('../console/', import.meta.url));
const CHARTS = fileURLToPath(new URL('.', import.meta.resolve('uplot/dist/uPlot.esm.js')));
const CHART_FILES = ['uPlot.esm.js', 'uPlot.min.css'];

/** The one page; its script looks at the address. */
export const CONSOLE_PAGE = 'index.html';

/** What belongs to the page; beside it lie files for the compiler. */
const SHOWN = /\.(js|css|svg|html|png|ico)$/;

/** Addresses that the console's own script takes care of; all get the same page. */
const PAGES = [
  '/',
  '/imports/:id',
  '/syncs',
  '/syncs/:id',
  '/schedules',
  '/members',
  '/members/:uid',
  '/settings',
  '/login',
];

/** Whether somebody opened an address in a browser that is none of ours: the console says so better than a problem document. */
export function isForPeople({ method, url, headers }: FastifyRequest): boolean {
  return method === 'GET' && headers.accept?.includes('text/html') === true && !/^\/(v1|assets)\//.test(url);
}

/** The console's files: pages by their addresses, everything else under /assets, all checked for news before use. */
export async function consoleRoutes(app: Api): Promise<void> {
  await app.register(files, {
    root: CONSOLE,
    // Its own route would ask for a token: the page that asks for one could not be shown.
    serve: false,
    cacheControl: false,
    setHeaders: (reply) => {
      if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-cache');
    },
  });
  const schema = { hide: true };
  app.get('/assets/*', { config: { role: 'public' }, schema }, (request, reply) => {
    const { '*': path } = request.params as { '*': string };
    if (!SHOWN.test(path) || path.includes('..')) throw new Problem('NOT_FOUND', `There is no asset ${path}.`);
    return reply.sendFile(path);
  });
  for (const name of CHART_FILES) {
    app.get(`/assets/${name}`, { config: { role: 'public' }, schema }, (_, reply) => reply.sendFile(name, CHARTS));
  }
  // Asked for by browsers where a page names none: a report, the documentation.
  app.get('/favicon.ico', { config: { role: 'public' }, schema }, (_, reply) => reply.sendFile('mark.svg'));
  for (const url of PAGES) {
    app.get(url, { config: { role: 'public' }, schema }, (_, reply) => {
      if (!existsSync(`${CONSOLE}${CONSOLE_PAGE}`)) throw new Problem('NOT_FOUND', 'This installation has no console.');
      return reply.sendFile(CONSOLE_PAGE);
    });
  }
}
