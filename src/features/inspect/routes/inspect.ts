import { callerOf, sendJson } from '../../../server/bounded-answer.ts';
import type { Api, ServerContext } from '../../../server/context.ts';
import { serve } from '../../../server/serve.ts';
import { takeHead } from '../../../server/uploads/accept.ts';
import { labelOf } from '../../../server/uploads/body.ts';
import { optionsOf } from '../../../server/uploads/options.ts';
import type { ReceiveOptions } from '../../../server/uploads/receive.ts';
import { recipesToSuggest } from '../../recipes/recipe-store.ts';
import { inspectOperations } from './operations.ts';

/** Time that looking at the beginning of a file may take, in ms. */
export const INSPECT_MS = 10_000;

/** `POST /v1/inspect`: what a file is, also where it cannot be imported. */
export function inspectRoute(
  app: Api,
  { heads, dir, settings }: ServerContext,
  limits: ReceiveOptions & { readonly maxZipBytes: number },
): void {
  serve(app, inspectOperations.inspect, async (request, reply) => {
    const { name, ...query } = request.query;
    const caller = callerOf(reply);
    const { head, type, name: called } = await takeHead(request, limits);
    const { defaultRegion: region, sandbox } = settings;
    const options = optionsOf(query, { contentType: type, region, sandbox });
    const question = { head, name: labelOf(name ?? called), options, recipes: recipesToSuggest(dir) };
    const facts = await heads.ask('inspect', question, { deadlineMs: INSPECT_MS, ...caller });
    return sendJson(reply, Buffer.from(facts));
  });
}
