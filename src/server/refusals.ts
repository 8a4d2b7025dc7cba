import { randomUUID } from 'node:crypto';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { ZodError } from 'zod';
import { PROBLEM_TYPE } from '../api/problems.ts';
import { type RefusalCode, statusOf } from '../errors/errors.ts';
import { RollcallError } from '../errors/rollcall-error.ts';
import { busyIn } from '../platform/database-busy.ts';
import { isDiskFull } from '../platform/disk-full.ts';
import type { Logger } from '../platform/log.ts';
import { type StopReason, TaskStopped } from '../platform/thread-queue.ts';
import { asSentence, withFullStop } from '../text/wording.ts';
import { shortened, wrongOption } from '../text/wrong-option.ts';
import { Problem, problemDocument } from './problem.ts';

export const STOPS = 'The server stops and takes no more requests.';

/** Returns the problem for an error of a request; a bug of ours goes to the log under an id. */
function problemFor(
  { log, stopping }: { log: Logger; stopping: boolean },
  error: unknown,
  request: FastifyRequest,
): RollcallError {
  const known = bodyProblem(error, request) ?? problemOf(error);
  if (known !== undefined) return known;
  if (stopping) return new Problem('STOPPING', STOPS);
  const { raw, method, routeOptions } = request;
  if (raw.destroyed && !raw.complete) {
    log.info({ method, route: routeOptions.url, ip: request.ip }, 'a client left');
    return new Problem('BAD_BODY', 'The client left before its whole request had arrived.');
  }
  return internal(log, error, request);
}

/** Seconds after which another program may have let go of a database. */
const HELD_SECONDS = 5;

/**
 * Answers with the problem document of whatever was thrown. A bug of ours goes to the log under an id.
 * @param stopping then errors come from parts that are closed already
 */
export function refuse(
  { log, stopping }: { log: Logger; stopping: boolean },
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const problem = problemFor({ log, stopping }, error, request);
  // Headers of the answer that is not sent.
  reply.removeHeader('content-disposition');
  reply.removeHeader('content-encoding');
  reply.removeHeader('etag');
  reply.removeHeader('last-modified');
  const { headers } = error as { headers?: Readonly<Record<string, string>> };
  if (problem.code === 'RANGE' && headers !== undefined) reply.headers(headers);
  if (problem.code === 'DATABASE_BUSY') reply.header('retry-after', HELD_SECONDS);
  const document = problemDocument(problem);
  reply.status(document.status).header('content-type', PROBLEM_TYPE);
  // A refusal must not be cached for the next request.
  reply.header('cache-control', 'no-store');
  return reply.send(JSON.stringify(document));
}

function internal(log: Logger, error: unknown, request: FastifyRequest): Problem {
  const id = randomUUID();
  log.error({ err: error, id, method: request.method, route: request.routeOptions.url }, 'a request failed');
  return new Problem('INTERNAL', `The request could not be answered; the log has the cause under ${id}.`, { id });
}

/** Returns the problem for a body that the framework rejects: one address takes files, another takes JSON. */
function bodyProblem(error: unknown, { headers, routeOptions }: FastifyRequest): Problem | undefined {
  const { takesFile = false } = routeOptions.config ?? {};
  const remedyFor = (remedy: string) => (takesFile ? {} : { remedy });
  switch ((error as Partial<FastifyError>).code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE': {
      const type = headers['content-type'];
      const detail = type === undefined ? 'There is no Content-Type.' : `Content-Type is ${shortened(type)}.`;
      return new Problem('MEDIA_TYPE', detail, { field: 'Content-Type', ...remedyFor('Send application/json.') });
    }
    case 'FST_ERR_CTP_BODY_TOO_LARGE': {
      const detail = `The body is larger than the ${routeOptions.bodyLimit} bytes that this address takes.`;
      return new Problem('TOO_LARGE', detail, remedyFor('Send less in one request.'));
    }
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new Problem('BAD_BODY', 'The body is not valid JSON.', remedyFor('Send JSON as /docs describes it.'));
    default:
      return undefined;
  }
}

/** Errors of the framework that the client caused, by code. */
const FRAMEWORK: Readonly<Record<string, RefusalCode>> = {
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'BAD_BODY',
  FST_ERR_BAD_URL: 'NOT_FOUND',
};

/** The problem for an error; undefined when the request did not cause it. */
export function problemOf(error: unknown): RollcallError | undefined {
  if (error instanceof RollcallError && statusOf(error.code) !== undefined) return error;
  if (error instanceof TaskStopped) return new Problem('BUSY', STOPPED[error.reason]);
  const { code = '', message = '', statusCode } = error as Partial<FastifyError>;
  const busy = busyIn(error);
  if (busy !== undefined) return new Problem('DATABASE_BUSY', asSentence(busy.what));
  if (isDiskFull(error)) return new Problem('DISK_FULL', 'The disk of the data directory has no room left.');
  if (statusCode === 416) return new Problem('RANGE', 'The requested range is beyond the end of the report.');
  const known = FRAMEWORK[code];
  if (known !== undefined) return new Problem(known, asSentence(message.slice(0, MAX_DETAIL_LENGTH)));
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return new Problem('NOT_FOUND', 'A part of the address is too long.');
  if (statusCode === 403 || statusCode === 404) return new Problem('NOT_FOUND', 'There is no file at this address.');
  const isTheirs = (statusCode !== undefined && statusCode >= 400 && statusCode < 500) || error instanceof SyntaxError;
  return isTheirs ? new Problem('BAD_BODY', asSentence(message.slice(0, MAX_DETAIL_LENGTH))) : undefined;
}

const STOPPED: Readonly<Record<StopReason, string>> = {
  busy: 'Too many questions on rows wait for their answers.',
  deadline: 'Reading the rows took too long; it was given up.',
  memory: 'Reading the rows took too much memory; it was given up.',
  left: 'The client left before it had its answer.',
};

/** A request's own text is not repeated beyond this, in characters. */
const MAX_DETAIL_LENGTH = 300;

export function unknownOption(field: string): Problem {
  return new Problem('BAD_OPTION', `There is no option ${shortened(field)} here.`, { field });
}

/** Returns the problem of an option for an error of ours about its value; other errors as they are. */
export function optionProblem(field: string, error: unknown, code: RefusalCode = 'BAD_OPTION'): unknown {
  if (!(error instanceof RollcallError) || error instanceof Problem) return error;
  return new Problem(code, asSentence(error.what), {
    field,
    ...(error.remedy !== undefined && { remedy: asSentence(error.remedy) }),
  });
}

/** Returns the problem for the first of zod's issues with options: its name, its value, the allowed ones. */
export function badOption(error: ZodError, given: unknown): Problem {
  const { field, isUnknown, text } = wrongOption(error, given);
  if (isUnknown) return unknownOption(field);
  // The names of options are written as they are.
  return new Problem('BAD_OPTION', withFullStop(field === '' ? asSentence(text) : text), { field });
}
