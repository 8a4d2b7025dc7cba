import { z } from 'zod';
import { fileFacts } from '../../api/file-facts.ts';
import { type FileLook, look } from '../../api/look.ts';
import { operationsOf } from '../../api/operation.ts';
import { preview } from '../../api/preview.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { IntakeError } from '../../imports/read/intake-error.ts';
import { HEAP_MB } from '../../imports/report/ledger-threads.ts';
import { TaskStopped, ThreadQueue } from '../../platform/thread-queue.ts';
import type { Api, ServerContext } from '../../server/context.ts';
import { type Caller, callerOf, sendJson } from '../../server/http-answers.ts';
import { problemDocument, problemOf } from '../../server/problem.ts';
import { serveAll } from '../../server/serve.ts';
import { takeHead, type Uploads } from '../../server/uploads/accept.ts';
import { labelOf } from '../../server/uploads/body.ts';
import { badReading, previewQuery, uploadOptions } from '../../server/uploads/upload-options.ts';
import { listRecipes } from '../recipes/recipe-store.ts';
import type { InspectThread, PreviewRequest } from './file-heads.ts';
import { type Beginning, importOfSame, MAX_COMPARED } from './same-file.ts';

const PREVIEW_BYTES = 1024 * 1024;
/** Workbooks and archives have their directory at the end, so that all of their bytes are needed. */
export const PREVIEW_ZIP_BYTES = 4 * 1024 * 1024;

const operation = operationsOf('imports');

const inspectQuery = previewQuery
  .omit({ recipe: true })
  .extend({ name: z.string().max(1_000).optional().meta({ description: 'Name of the file.' }) });

/** The beginning of a file is sent, and nothing is kept of it. */
const inspectOperations = {
  preview: {
    ...operation('POST /v1/preview', 'viewer', {
      summary: 'See how the beginning of a file would be read; nothing is kept',
      description: `The body is the first bytes of a file, at most ${PREVIEW_BYTES}, in the forms that an import takes; of a workbook or ZIP archive the whole file, at most ${PREVIEW_ZIP_BYTES}.`,
      query: previewQuery,
      answer: preview,
      refusals: ['BAD_BODY', 'UNKNOWN_RECIPE', 'TOO_LARGE', 'MEDIA_TYPE', 'STOPPING'],
    }),
    takesFile: true,
  },
  inspect: {
    ...operation('POST /v1/inspect', 'viewer', {
      summary: 'See what a file is and what to say so that it can be imported; nothing is kept',
      description: `The body is the first bytes of a file, at most ${PREVIEW_BYTES}, in the forms that an import takes; of a workbook or ZIP archive the whole file, at most ${PREVIEW_ZIP_BYTES}.`,
      query: inspectQuery,
      answer: fileFacts,
      refusals: ['BAD_BODY', 'TOO_LARGE', 'MEDIA_TYPE', 'BUSY', 'STOPPING'],
    }),
    takesFile: true,
  },
  look: {
    ...operation('POST /v1/look', 'viewer', {
      summary: 'See what a file is and how it would be read, in one answer; nothing is kept',
      description: 'The body and the options are those of `/v1/preview`.',
      query: previewQuery.extend({
        name: inspectQuery.shape.name,
        size: z.coerce
          .number()
          .int()
          .positive()
          .optional()
          .meta({ description: 'Bytes of the whole file, where the body is its beginning.' }),
      }),
      answer: look,
      refusals: ['BAD_BODY', 'UNKNOWN_RECIPE', 'TOO_LARGE', 'MEDIA_TYPE', 'BUSY', 'STOPPING'],
    }),
    takesFile: true,
  },
};

/** Routes that describe a file and preview its rows before it is uploaded. @param scope leaves bodies to its routes */
export function inspectRoutes(scope: Api, context: ServerContext, { limits: { idleMs, signal } }: Uploads): void {
  const { heads, dir, settings } = context;
  const limits = { maxBytes: PREVIEW_BYTES, maxZipBytes: PREVIEW_ZIP_BYTES, idleMs, signal };
  const inspect = (
    { head, type, name }: { readonly head: Buffer; readonly type: string; readonly name: string },
    query: z.infer<typeof previewQuery>,
    caller: Caller,
  ) => {
    const { defaultRegion: region, sandbox } = settings;
    const options = uploadOptions({ ...query, recipe: undefined }, { contentType: type, region, sandbox });
    const question = { head, name, options, recipes: listRecipes(dir).recipes };
    return heads.ask('inspect', question, { deadlineMs: INSPECT_MS, ...caller });
  };
  serveAll(scope, inspectOperations, {
    preview: async (query, { request, reply }) => {
      const caller = callerOf(reply);
      const { head, type, name } = await takeHead(request, limits);
      const shown = name === undefined ? 'the file' : labelOf(name);
      return sendJson(reply, await previewWith(context, { head, name: shown, type, query }, caller));
    },
    // Also where the file cannot be imported.
    inspect: async ({ name, ...query }, { request, reply }) => {
      const caller = callerOf(reply);
      const { name: called, ...sent } = await takeHead(request, limits);
      return sendJson(reply, await inspect({ ...sent, name: labelOf(name ?? called) }, query, caller));
    },
    // Both of a file that is sent once.
    look: async ({ name, size, ...query }, { request, reply }) => {
      const caller = callerOf(reply);
      const { name: called, ...sent } = await takeHead(request, limits);
      const file = { ...sent, name: labelOf(name ?? called) };
      const text = await lookText(
        inspect(file, query, caller),
        previewWith(context, { ...file, query }, caller),
        beforeOf(context, { head: file.head, bytes: size ?? file.head.length }),
      );
      return reply.type('application/json; charset=utf-8').send(text);
    },
  });
}

/** Time that looking at the beginning of a file may take, in ms. */
export const INSPECT_MS = 10_000;

/** A `FileLook` as JSON text. The facts are a help that nothing depends on; why the file cannot be read is an answer too. */
export async function lookText(
  inspected: Promise<Uint8Array>,
  previewed: Promise<Buffer>,
  imported: Promise<FileLook['before']> = Promise.resolve(null),
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
async function beforeOf({ reading, views }: ServerContext, file: Beginning) {
  const { imports } = reading.page({ kind: ['file'], limit: MAX_COMPARED });
  const record = await importOfSame(imports, file);
  return record === undefined ? null : { isWhole: file.head.length === file.bytes, import: await views.of(record) };
}

/** @throws errors that the request did not cause */
function problemIn(error: unknown): RollcallError {
  const known = problemOf(error);
  if (known === undefined) throw error;
  return known;
}

/** Time that reading the beginning of a file may take, in ms: a thousand times what an honest one needs. */
const DEADLINE_MS = 10_000;

/** A request's facts about the beginning of a file. */
interface RequestedPreview {
  readonly head: Buffer;
  /** The file's name for messages. */
  readonly name: string;
  /** Media type. */
  readonly type: string;
  readonly query: z.infer<typeof previewQuery>;
}

/** Reads the beginning of a file with the options of a request. @throws BAD_OPTION, BAD_BODY, UNKNOWN_RECIPE */
async function previewWith(
  { heads, recipes, settings }: Pick<ServerContext, 'heads' | 'recipes' | 'settings'>,
  { head, name, type, query }: RequestedPreview,
  caller: Caller,
) {
  const { defaultRegion: region, sandbox } = settings;
  const chosen = uploadOptions(query, { contentType: type, region, sandbox });
  const options = await recipes.settle(chosen, { head }, name, caller);
  return previewOf(heads, { head, name, options }, caller);
}

/**
 * Reads the beginning of a file with these options: returns a `Preview` as JSON text. It is read in a thread whose
 * memory and time are bounded, and no longer than the caller waits.
 * @throws BAD_OPTION, BAD_BODY
 */
export async function previewOf(
  heads: ServerContext['heads'],
  request: PreviewRequest,
  caller: Caller,
): Promise<Buffer> {
  try {
    return Buffer.from(await heads.ask('preview', request, { deadlineMs: DEADLINE_MS, ...caller }));
  } catch (error) {
    if (error instanceof IntakeError) throw badReading(error);
    if (error instanceof TaskStopped && (error.reason === 'deadline' || error.reason === 'memory')) {
      throw new RollcallError('BAD_BODY', {
        what: `the beginning of the file cannot be shown: ${error.message}`,
        remedy: 'look for endless blank lines, thousands of columns or a value of many megabytes in it',
      });
    }
    throw error;
  }
}

export function openInspectThread(): ThreadQueue<InspectThread> {
  return new ThreadQueue({
    thread: [import.meta.url, './inspect-thread'],
    atOnce: 1,
    heapMb: HEAP_MB,
    errors: [IntakeError],
  });
}
