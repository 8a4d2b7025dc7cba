import { z } from 'zod';
import { type FileLook, look } from '../../api/look.ts';
import { operationsOf } from '../../api/operation.ts';
import { isError, RollcallError } from '../../errors/rollcall-error.ts';
import { refusalOf } from '../../imports/read/intake-error.ts';
import type { Api, ServerContext } from '../../server/context.ts';
import { type Caller, callerOf } from '../../server/http-answers.ts';
import { problemDocument, problemOf } from '../../server/problem.ts';
import { serveAll } from '../../server/serve.ts';
import { takeHead, type Uploads } from '../../server/uploads/accept.ts';
import { labelOf } from '../../server/uploads/receive.ts';
import { previewQuery, uploadOptions } from '../../server/uploads/upload-options.ts';
import { listRecipes } from '../recipes/recipe-store.ts';
import type { PreviewRequest } from './inspect-thread.ts';
import { type Beginning, importOfSame } from './same-file.ts';

const PREVIEW_BYTES = 1024 * 1024;
/** Workbooks and archives have their directory at the end, so that all of their bytes are needed. */
export const PREVIEW_ZIP_BYTES = 4 * 1024 * 1024;

const operation = operationsOf('imports');

const inspectOperations = {
  look: {
    ...operation('POST /v1/look', 'viewer', {
      summary: 'See what a file is, how it would be read, and what to say so that it can be imported; nothing is kept',
      description: `The body is the first bytes of a file, at most ${PREVIEW_BYTES}, in the forms that an import takes; of a workbook or ZIP archive the whole file, at most ${PREVIEW_ZIP_BYTES}.`,
      query: previewQuery.extend({
        name: z.string().max(1_000).optional().describe('Name of the file.'),
        size: z.coerce
          .number()
          .int()
          .positive()
          .optional()
          .describe('Bytes of the whole file, where the body is its beginning.'),
      }),
      answer: look,
      refusals: ['UNKNOWN_RECIPE'],
    }),
    takesFile: true,
  },
};

/** The route that looks at a file before it is uploaded. @param scope leaves bodies to its routes */
export function inspectRoutes(scope: Api, context: ServerContext, { limits: { idleMs, signal } }: Uploads): void {
  const limits = { maxBytes: PREVIEW_BYTES, maxZipBytes: PREVIEW_ZIP_BYTES, idleMs, signal };
  const { recipes, settings } = context;
  serveAll(scope, inspectOperations, {
    look: async ({ name: given, size, ...query }, { request, reply }) => {
      const caller = callerOf(reply);
      const { head, type, name: called } = await takeHead(request, limits);
      const name = labelOf(given ?? called);
      const asSent = { contentType: type, region: settings.defaultRegion, sandbox: settings.sandbox };
      const options = uploadOptions({ ...query, recipe: undefined }, asSent);
      const settled = recipes.settle(uploadOptions(query, asSent), { head }, name, caller);
      const looked = await lookAtFile(context, { head, name, options }, caller, settled);
      return { ...looked, before: await beforeOf(context, { head, bytes: size ?? head.length }).catch(() => null) };
    },
  });
}

/** The reason why its rows cannot be read is an answer too. @param settled the options for them, from a recipe */
export async function lookAtFile(
  { heads, dir }: Pick<ServerContext, 'heads' | 'dir'>,
  file: PreviewRequest,
  caller: Caller,
  settled = Promise.resolve(file.options),
): Promise<FileLook> {
  let cause: unknown;
  const unknown = (error: unknown) => {
    cause ??= error;
    return undefined;
  };
  const rowOptions = await settled.catch(unknown);
  const request = { ...file, rowOptions, recipes: listRecipes(dir).recipes };
  const looked = await heads.ask('look', request, { deadlineMs: DEADLINE_MS, ...caller }).catch(unknown);
  if (looked?.refusal !== undefined) cause ??= refusalOf(looked.refusal);
  return {
    facts: looked?.facts ?? null,
    preview: looked?.preview ?? null,
    problem: cause === undefined ? null : problemDocument(problemIn(cause)),
    before: null,
  };
}

/** Time that looking at the beginning of a file may take, in ms: a thousand times what an honest one needs. */
const DEADLINE_MS = 10_000;

async function beforeOf({ reading, views }: ServerContext, file: Beginning) {
  const record = await importOfSame(reading, file);
  return record === undefined ? null : { isWhole: file.head.length === file.bytes, import: await views.of(record) };
}

/** @throws errors that the request did not cause */
function problemIn(error: unknown): RollcallError {
  if (isError(error, 'READING_STOPPED') && /^(deadline|memory)$/.test(error.facts.reason)) {
    return new RollcallError('BAD_BODY', {
      what: `the beginning of the file cannot be shown: ${error.message}`,
      remedy: 'look for endless blank lines, thousands of columns or a value of many megabytes in it',
    });
  }
  const known = problemOf(error);
  if (known === undefined) throw error;
  return known;
}
