import type { Api, ServerContext } from '../../../server/context.ts';
import { Problem } from '../../../server/problem.ts';
import { serve } from '../../../server/serve.ts';
import { SourceError, SourceNotAllowed } from '../../../sources/source-errors.ts';
import { asSentence } from '../../../text/wording.ts';
import { scheduleOperations } from '../operations.ts';
import { sourceEntries } from '../source-folder.ts';

/** `GET /v1/sources`: so that people choose the file of a schedule and need not know its path. */
export function sourcesRoute(app: Api, { settings }: Pick<ServerContext, 'settings'>): void {
  serve(app, scheduleOperations.sources, async ({ query: { folder } }) => {
    const { entries, more } = await sourceEntries(folder, settings.sources).catch(refused);
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
  if (!(error instanceof SourceNotAllowed || error instanceof SourceError)) throw error;
  const code = error instanceof SourceNotAllowed ? 'SOURCE_NOT_ALLOWED' : 'BAD_OPTION';
  throw new Problem(code, asSentence(error.what), {
    field: 'folder',
    ...(error.remedy !== undefined && { remedy: asSentence(error.remedy) }),
  });
}
