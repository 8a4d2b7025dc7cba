import { createHash } from 'node:crypto';
import type { Api } from './context.ts';

/**
 * Says of every answer of the API how long it may be kept: those of GET, which caches ask for again each time, have an ETag, and one that
 * the client has already is not sent again. To be called before answers are compressed. A route that has said it itself is left alone.
 */
export function cacheAnswers(app: Api): void {
  app.addHook('onSend', async ({ method, url, headers }, reply, payload) => {
    if (reply.hasHeader('cache-control') || !/^\/(v1\/|openapi\.json|healthz|readyz|metrics)/.test(url)) return payload;
    const isRead = method === 'GET' || method === 'HEAD';
    const isJson = /^application\/json/.test(String(reply.getHeader('content-type')));
    const isWhole = typeof payload === 'string' || payload instanceof Buffer;
    if (!isRead || !isJson || !isWhole || reply.statusCode !== 200 || !/^\/(v1|openapi)/.test(url)) {
      reply.header('cache-control', 'no-store');
      return payload;
    }
    const tag = `W/"${createHash('sha256').update(payload).digest('base64url').slice(0, 22)}"`;
    reply.header('cache-control', 'private, no-cache').header('etag', tag);
    if (!isAmong(tag, headers['if-none-match'])) return payload;
    reply.code(304).removeHeader('content-type').removeHeader('content-length');
    return '';
  });
}

function isAmong(tag: string, given = ''): boolean {
  return given
    .split(',')
    .some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag.replace(/^W\//, ''));
}
