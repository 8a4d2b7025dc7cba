import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { build } from 'esbuild';
import { BUNDLED } from '../../../src/server/console-files.ts';

/** `node test/console/kit/serve.ts` serves the gallery of the kit, for those who change it. The package does not have it. */

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Kit</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css">
<script type="module" src="/gallery.js"></script><main id="main"></main></html>`;

export async function serveKit(): Promise<{ url: string; server: Server }> {
  const { outputFiles } = await build({
    ...BUNDLED,
    absWorkingDir: import.meta.dirname,
    entryPoints: { gallery: 'gallery.tsx', style: '../../../src/console/style.css' },
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  const server = createServer(({ url = '' }, reply) => {
    const name = basename(url);
    const type = name.endsWith('.js') ? 'text/javascript' : name.endsWith('.css') ? 'text/css' : 'text/html';
    reply.setHeader('content-type', type).end(files.get(name) ?? PAGE);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/kit`, server };
}

if (import.meta.main) process.stdout.write(`${(await serveKit()).url}\n`);
