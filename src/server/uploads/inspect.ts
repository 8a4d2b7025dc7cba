import { recipesToSuggest } from '../../features/recipes/recipe-store.ts';
import { callerOf, sendJson } from '../bounded-answer.ts';
import type { Api, ServerContext } from '../context.ts';
import { serve } from '../serve.ts';
import { takeHead } from './accept.ts';
import { labelOf } from './body.ts';
import { uploadOperations } from './operations.ts';
import { optionsOf } from './options.ts';
import type { ReceiveOptions } from './receive.ts';

/** Time that looking at the beginning of a file may take, in ms. */
export const INSPECT_MS = 10_000;

/** `POST /v1/inspect`: what a file is, also where it cannot be imported. */
export function inspectRoute(
  app: Api,
  { coordinator, dir, settings }: ServerContext,
  limits: ReceiveOptions & { readonly maxZipBytes: number },
): void {
  serve(app, uploadOperations.inspect, async (request, reply) => {
    const { name, ...query } = request.query;
    const caller = callerOf(reply);
    const { head, type, name: called } = await takeHead(request, limits);
    const { defaultRegion: region, sandbox } = settings;
    const options = optionsOf(query, { contentType: type, region, sandbox });
    const question = { head, name: labelOf(name ?? called), options, recipes: recipesToSuggest(dir) };
    const facts = await coordinator.reading.inspect(question, { deadlineMs: INSPECT_MS, ...caller });
    return sendJson(reply, Buffer.from(facts));
  });
}
