import { messageOf } from '../../../errors/message-of.ts';
import type { ServerContext } from '../../../server/context.ts';
import { Problem } from '../../../server/problem.ts';
import type { Obtained } from '../../../sources/obtain.ts';
import { SourceError } from '../../../sources/source-errors.ts';
import { asSentence } from '../../../text/wording.ts';
import type { ScheduleRequest } from '../schedule-book.ts';

/** Time in which the file must be there, in ms: a person waits for it. */
const MAX_MS = 60_000;

/**
 * The file that a schedule would read. A fetched file is kept in `folder`.
 * @throws Problem BAD_OPTION, SourceNotAllowed; the signal's reason
 */
export async function getFile(
  { obtain }: Pick<ServerContext['schedules'], 'obtain'>,
  { source, headers, settings = {}, maxSource, restricted = false }: ScheduleRequest,
  folder: string,
  left?: AbortSignal,
): Promise<Obtained> {
  const late = AbortSignal.timeout(MAX_MS);
  const signal = left === undefined ? late : AbortSignal.any([late, left]);
  try {
    return await obtain({ source, headers, settings, maxSource, restricted, copy: null }, { folder, signal });
  } catch (error) {
    throw error instanceof SourceError || late.aborted ? noFile(error, late.aborted) : error;
  }
}

function noFile(error: unknown, isLate: boolean): Problem {
  const detail = isLate ? 'The file has not come within a minute.' : asSentence(messageOf(error));
  const remedy = isLate ? 'Add the schedule and run it: runs wait longer.' : 'Check the file and try again.';
  return new Problem('BAD_OPTION', detail, { field: 'file', remedy });
}
