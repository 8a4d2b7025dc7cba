import { look } from '../../api/look.ts';
import { listRecipes } from '../../imports/recipes/store.ts';
import { leaving } from '../bounded-answer.ts';
import type { Api, ServerContext } from '../context.ts';
import { type Problem, problemDocument } from '../problem.ts';
import { refusals } from '../problem-schema.ts';
import { problemOf } from '../refusals.ts';
import { labelOf } from './body.ts';
import { INSPECT_MS, inspectQuery } from './inspect.ts';
import { optionsOf, previewQuery } from './options.ts';
import { previewWith } from './preview.ts';
import type { ReceiveOptions } from './receive.ts';
import { takeHead } from './taking.ts';

const lookQuery = previewQuery.extend({ name: inspectQuery.shape.name });

/** `POST /v1/look`: `/v1/inspect` and `/v1/preview` of a file that is sent once. */
export function lookRoute(
  app: Api,
  context: ServerContext,
  limits: ReceiveOptions & { readonly mostZipBytes: number },
): void {
  const { coordinator, dir, settings } = context;
  app.post(
    '/v1/look',
    {
      config: { role: 'viewer', takesFile: true },
      schema: {
        tags: ['imports'],
        summary: 'See what a file is and how it would be read, in one answer; nothing is kept',
        description: 'The body and the options are those of `/v1/preview`.',
        querystring: lookQuery,
        response: {
          200: look,
          ...refusals('BAD_OPTION', 'BAD_BODY', 'UNKNOWN_RECIPE', 'TOO_LARGE', 'MEDIA_TYPE', 'BUSY', 'STOPPING'),
        },
      },
    },
    async (request, reply) => {
      const { name, ...query } = request.query;
      const left = leaving(reply);
      const { head, type, name: called } = await takeHead(request, limits);
      const { recipe: _, ...reading } = query;
      const options = optionsOf(reading, {
        contentType: type,
        region: settings.defaultRegion,
        sandbox: settings.sandbox,
      });
      const label = labelOf(name ?? called);
      const question = { head, name: label, options, recipes: listRecipes(dir) };
      const text = await lookText(
        coordinator.reading.inspect(question, { deadlineMs: INSPECT_MS, signal: left }),
        previewWith(context, { head, name: label, type, query }, left),
      );
      return reply.type('application/json; charset=utf-8').send(text);
    },
  );
}

/** A `Look` as JSON text. The facts are a help that nothing depends on; why the file cannot be read is an answer too. */
export async function lookText(inspected: Promise<Uint8Array>, previewed: Promise<Buffer>): Promise<string> {
  const [facts, shown] = await Promise.allSettled([inspected, previewed]);
  const refused = shown.status === 'rejected' ? problemIn(shown.reason) : undefined;
  const parts = {
    facts: facts.status === 'fulfilled' ? Buffer.from(facts.value).toString() : 'null',
    preview: shown.status === 'fulfilled' ? shown.value.toString() : 'null',
    problem: refused === undefined ? 'null' : JSON.stringify(problemDocument(refused)),
  };
  const text = Object.entries(parts).map(([part, json]) => `"${part}":${json}`);
  return `{${text.join(',')}}`;
}

/** @throws errors that the request did not cause */
function problemIn(error: unknown): Problem {
  const known = problemOf(error);
  if (known === undefined) throw error;
  return known;
}
