import type { z } from 'zod';
import { IntakeError } from '../../../imports/read/intake-error.ts';
import { ReadingStopped } from '../../../platform/thread-queue.ts';
import type { Caller } from '../../../server/bounded-answer.ts';
import type { ServerContext } from '../../../server/context.ts';
import { Problem } from '../../../server/problem.ts';
import { badReading, optionsOf, type previewQuery } from '../../../server/uploads/options.ts';
import type { PreviewRequest } from '../preview.ts';

export const PREVIEW_BYTES = 1024 * 1024;
/** Workbooks and archives have their directory at the end, so that all of their bytes are needed. */
export const PREVIEW_ZIP_BYTES = 4 * 1024 * 1024;
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

/** Reads the beginning of a file with the options of a request. @throws Problem, UnknownRecipe */
export async function previewWith(
  { heads, recipes, settings }: Pick<ServerContext, 'heads' | 'recipes' | 'settings'>,
  { head, name, type, query }: RequestedPreview,
  caller: Caller,
): Promise<Buffer> {
  const { defaultRegion: region, sandbox } = settings;
  const chosen = optionsOf(query, { contentType: type, region, sandbox });
  const options = (await recipes?.settle(chosen, { head }, name, caller)) ?? chosen;
  return previewOf(heads, { head, name, options }, caller);
}

/**
 * Reads the beginning of a file with these options: returns a `Preview` as JSON text. It is read in a thread whose
 * memory and time are bounded, and no longer than the caller waits.
 * @throws Problem BAD_OPTION, BAD_BODY
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
    if (error instanceof ReadingStopped && (error.reason === 'deadline' || error.reason === 'memory')) {
      throw new Problem('BAD_BODY', `The beginning of the file cannot be shown: ${error.message}.`, {
        remedy: 'Look for endless blank lines, thousands of columns or a value of many megabytes in it.',
      });
    }
    throw error;
  }
}
