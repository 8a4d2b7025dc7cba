import { z } from 'zod';
import { fileFacts } from '../../api/file-facts.ts';
import { recipesToSuggest } from '../../imports/recipes/store.ts';
import { callerOf, sendJson } from '../bounded-answer.ts';
import type { Api, ServerContext } from '../context.ts';
import { refusals } from '../problem-schema.ts';
import { labelOf } from './body.ts';
import { optionsOf, previewQuery } from './options.ts';
import type { ReceiveOptions } from './receive.ts';
import { takeHead } from './taking.ts';

/** Time that looking at the beginning of a file may take, in ms. */
export const INSPECT_MS = 10_000;

export const inspectQuery = previewQuery
  .omit({ recipe: true })
  .extend({ name: z.string().max(1_000).optional().meta({ description: 'What the file is called.' }) });

/** `POST /v1/inspect`: what a file is, also where it cannot be imported. */
export function inspectRoute(
  app: Api,
  { coordinator, dir, settings }: ServerContext,
  limits: ReceiveOptions & { readonly mostZipBytes: number },
): void {
  app.post(
    '/v1/inspect',
    {
      config: { role: 'viewer', takesFile: true },
      schema: {
        tags: ['imports'],
        summary: 'See what a file is and what to say so that it can be imported; nothing is kept',
        description: `The body is the first bytes of a file, at most ${limits.mostBytes}, in the forms that an import takes; of a workbook or ZIP archive the whole file, at most ${limits.mostZipBytes}.`,
        querystring: inspectQuery,
        response: {
          200: fileFacts,
          ...refusals('BAD_OPTION', 'BAD_BODY', 'TOO_LARGE', 'MEDIA_TYPE', 'BUSY', 'STOPPING'),
        },
      },
    },
    async (request, reply) => {
      const { name, ...query } = request.query;
      const caller = callerOf(reply);
      const { head, type, name: called } = await takeHead(request, limits);
      const { defaultRegion: region, sandbox } = settings;
      const options = optionsOf(query, { contentType: type, region, sandbox });
      const question = { head, name: labelOf(name ?? called), options, recipes: recipesToSuggest(dir) };
      const facts = await coordinator.reading.inspect(question, { deadlineMs: INSPECT_MS, ...caller });
      return sendJson(reply, Buffer.from(facts));
    },
  );
}
