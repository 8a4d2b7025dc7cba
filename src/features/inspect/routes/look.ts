import type { Look } from '../../../api/look.ts';
import { callerOf } from '../../../server/bounded-answer.ts';
import type { Api, ServerContext } from '../../../server/context.ts';
import { type Problem, problemDocument } from '../../../server/problem.ts';
import { problemOf } from '../../../server/refusals.ts';
import { serve } from '../../../server/serve.ts';
import { takeHead } from '../../../server/uploads/accept.ts';
import { labelOf } from '../../../server/uploads/body.ts';
import { optionsOf } from '../../../server/uploads/options.ts';
import type { ReceiveOptions } from '../../../server/uploads/receive.ts';
import { recipesToSuggest } from '../../recipes/recipe-store.ts';
import { type Beginning, importOfSame, MAX_COMPARED } from '../same-file.ts';
import { INSPECT_MS } from './inspect.ts';
import { inspectOperations } from './operations.ts';
import { previewWith } from './preview.ts';

/** `POST /v1/look`: `/v1/inspect` and `/v1/preview` of a file that is sent once. */
export function lookRoute(
  app: Api,
  context: ServerContext,
  limits: ReceiveOptions & { readonly maxZipBytes: number },
): void {
  const { heads, dir, settings } = context;
  serve(app, inspectOperations.look, async (request, reply) => {
    const { name, size, ...query } = request.query;
    const caller = callerOf(reply);
    const { head, type, name: called } = await takeHead(request, limits);
    const { recipe: _, ...reading } = query;
    const options = optionsOf(reading, {
      contentType: type,
      region: settings.defaultRegion,
      sandbox: settings.sandbox,
    });
    const label = labelOf(name ?? called);
    const question = { head, name: label, options, recipes: recipesToSuggest(dir) };
    const text = await lookText(
      heads.ask('inspect', question, { deadlineMs: INSPECT_MS, ...caller }),
      previewWith(context, { head, name: label, type, query }, caller),
      beforeOf(context, { head, bytes: size ?? head.length }),
    );
    return reply.type('application/json; charset=utf-8').send(text);
  });
}

/** A `Look` as JSON text. The facts are a help that nothing depends on; why the file cannot be read is an answer too. */
export async function lookText(
  inspected: Promise<Uint8Array>,
  previewed: Promise<Buffer>,
  imported: Promise<Look['before']> = Promise.resolve(null),
): Promise<string> {
  const [facts, shown, before] = await Promise.allSettled([inspected, previewed, imported]);
  const refused = shown.status === 'rejected' ? problemIn(shown.reason) : undefined;
  const parts = {
    facts: facts.status === 'fulfilled' ? Buffer.from(facts.value).toString() : 'null',
    preview: shown.status === 'fulfilled' ? shown.value.toString() : 'null',
    problem: refused === undefined ? 'null' : JSON.stringify(problemDocument(refused)),
    before: before.status === 'fulfilled' ? JSON.stringify(before.value) : 'null',
  };
  const text = Object.entries(parts).map(([part, json]) => `"${part}":${json}`);
  return `{${text.join(',')}}`;
}

/** The last import of the same file. */
async function beforeOf({ reading, views }: ServerContext, file: Beginning): Promise<Look['before']> {
  const { imports } = reading.page({ kinds: ['file'], limit: MAX_COMPARED });
  const record = await importOfSame(imports, file);
  return record === undefined ? null : { isWhole: file.head.length === file.bytes, import: await views.of(record) };
}

/** @throws errors that the request did not cause */
function problemIn(error: unknown): Problem {
  const known = problemOf(error);
  if (known === undefined) throw error;
  return known;
}
