import { constants } from 'node:fs';
import { copyFile, rename, rm } from 'node:fs/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isError, RollcallError } from '../../errors/rollcall-error.ts';
import { hashOf } from '../../platform/file-hash.ts';
import { allowedSource, type SourceReaderOptions, sourceReader } from '../../sources/obtain.ts';
import { isRemote } from '../../text/address-text.ts';
import type { ReceiveOptions } from './receive.ts';

/** A file that the server gets itself. */
export interface FetchedFile {
  readonly name: string;
  /** SHA-256 in hex. */
  readonly hash: string;
  /** Media type: nothing says it. */
  readonly type: string;
}

/**
 * Gets the file of a source that a request names, to `path`. Its connection stays open meanwhile, however long that takes.
 * @throws BAD_BODY for a request with a body, BAD_OPTION; SOURCE_NOT_ALLOWED, DISK_FULL; the signal's reason
 */
export async function fetchSource(
  [request, reply]: readonly [FastifyRequest, FastifyReply],
  text: string,
  path: string,
  { maxBytes, signal }: Pick<ReceiveOptions, 'maxBytes' | 'signal'>,
  reading: SourceReaderOptions,
): Promise<FetchedFile> {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
  if (length !== '0' || coding !== undefined) {
    const what = 'the request names a source and has a body';
    throw new RollcallError('BAD_BODY', { what, remedy: 'leave one of them out' });
  }
  const left = new AbortController();
  const onClose = () => left.abort(new Error('the client has gone'));
  reply.raw.once('close', onClose);
  request.raw.socket.setTimeout(0);
  const folder = `${path}-source`;
  try {
    const source = await allowedSource(text, reading.sources);
    const wanted = { source, headers: {}, settings: {}, maxBytes, copy: null, restricted: true };
    const found = await sourceReader(reading)(wanted, { folder, signal: AbortSignal.any([signal, left.signal]) });
    if (isRemote(source)) await rename(found.path, path);
    else {
      await copyFile(found.path, path, constants.COPYFILE_FICLONE);
      if ((await hashOf(path)) !== found.hash) {
        throw new RollcallError('BAD_OPTION', { what: 'the file was changed while it was read', field: 'source' });
      }
    }
    return { name: found.name, hash: found.hash, type: '' };
  } catch (error) {
    if (!(error instanceof RollcallError) || isError(error, 'SOURCE_NOT_ALLOWED', 'DISK_FULL', 'BAD_OPTION'))
      throw error;
    const { what, remedy } = error;
    throw new RollcallError('BAD_OPTION', { what, remedy, field: 'source' });
  } finally {
    reply.raw.off('close', onClose);
    await rm(folder, { recursive: true, force: true });
  }
}
