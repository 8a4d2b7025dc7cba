import { RollcallError } from '../../../errors/rollcall-error.ts';
import type { Api, ServerContext } from '../../../server/context.ts';
import { Problem } from '../../../server/problem.ts';
import { serve } from '../../../server/serve.ts';
import { SourceNotAllowed } from '../../../sources/source-errors.ts';
import { listSource } from '../../../sources/source-reader.ts';
import { isRemote } from '../../../text/address-text.ts';
import { asSentence } from '../../../text/wording.ts';
import { scheduleOperations } from '../operations.ts';
import { firstEntries, sourceEntries } from '../source-folder.ts';

/** Time in which a bucket or server must have listed a folder, in ms: a person waits for it. */
const MAX_MS = 20_000;

/** `GET /v1/sources`: so that people choose the file of a schedule and need not know its path. */
export function sourcesRoute(app: Api, { settings, fetching }: Pick<ServerContext, 'settings' | 'fetching'>): void {
  serve(app, scheduleOperations.sources, async ({ query: { folder } }) => {
    const sources = settings.sources;
    const listed = isRemote(folder)
      ? listSource(folder, { ...fetching, sources }, AbortSignal.timeout(MAX_MS)).then(firstEntries)
      : sourceEntries(folder, sources);
    const { entries, more } = await listed.catch(refused);
    return {
      entries: entries.map(({ name, kind, size, modifiedAt }) => ({
        ...{ name, kind, size: kind === 'file' ? size : null },
        modifiedAt: new Date(modifiedAt).toISOString(),
      })),
      more,
    };
  });
}

function refused(error: unknown): never {
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    throw new Problem('BAD_OPTION', `The folder was not listed within ${MAX_MS / 1000} seconds.`, { field: 'folder' });
  }
  if (!(error instanceof RollcallError) || error instanceof Problem) throw error;
  const code = error instanceof SourceNotAllowed ? 'SOURCE_NOT_ALLOWED' : 'BAD_OPTION';
  throw new Problem(code, asSentence(error.what), {
    field: 'folder',
    ...(error.remedy !== undefined && { remedy: asSentence(error.remedy) }),
  });
}
