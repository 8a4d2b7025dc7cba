import { randomUUID } from 'node:crypto';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { ZodError } from 'zod';
import { PROBLEM_TYPE, type ProblemDocument, problemMembers } from '../api/problems.ts';
import { type FactsOf, statusOf } from '../errors/errors.ts';
import { isError, RollcallError } from '../errors/rollcall-error.ts';
import { inputRefusal } from '../imports/read/intake-error.ts';
import { busyIn } from '../platform/database-errors.ts';
import { isDiskFull } from '../platform/files.ts';
import type { Logger } from '../platform/log.ts';
import { withFullStop } from '../text/wording.ts';
import { shortened, wrongOption } from '../text/wrong-option.ts';

/** The document that the client gets for an error whose code has a status. */
export function problemDocument(error: RollcallError) {
  return problemMembers(error, 'api') as ProblemDocument;
}

/** Seconds after which another program may have let go of a database. */
const HELD_SECONDS = 5;

/** Answers with the problem document of what was thrown. @param stopping then errors come from closed parts */
export function refuse(
  { log, stopping }: { log: Logger; stopping: boolean },
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const known = bodyProblem(error, request) ?? problemOf(error);
  const problem = known ?? (stopping ? new RollcallError('STOPPING', {}) : unexpected(log, error, request));
  // Headers of the answer that is not sent.
  for (const name of ['content-disposition', 'content-encoding', 'etag', 'last-modified']) reply.removeHeader(name);
  const { headers } = error as { headers?: Readonly<Record<string, string>> };
  if (problem.code === 'RANGE' && headers !== undefined) reply.headers(headers);
  if (problem.code === 'DATABASE_BUSY') reply.header('retry-after', HELD_SECONDS);
  const document = problemDocument(problem);
  reply.status(document.status).header('content-type', PROBLEM_TYPE);
  // A refusal must not be cached for the next request.
  reply.header('cache-control', 'no-store');
  return reply.send(JSON.stringify(document));
}

function unexpected(log: Logger, error: unknown, { raw, method, routeOptions: { url: route }, ip }: FastifyRequest) {
  if (raw.destroyed && !raw.complete) {
    log.info({ method, route, ip }, 'a client left');
    return new RollcallError('BAD_BODY', { what: 'the client left before its whole request had arrived' });
  }
  const id = randomUUID();
  log.error({ err: error, id, method, route }, 'a request failed');
  return new RollcallError('INTERNAL', { id });
}

/** Returns the problem for a body that the framework rejects: one address takes files, another takes JSON. */
function bodyProblem(error: unknown, { headers, routeOptions }: FastifyRequest) {
  const { config, bodyLimit = 0 } = routeOptions;
  const forJson = (remedy: string) => ({ remedy: config?.takesFile === true ? undefined : remedy });
  switch ((error as Partial<FastifyError>).code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE': {
      const type = headers['content-type'];
      const what = type === undefined ? 'there is no Content-Type' : `Content-Type is ${shortened(type)}`;
      return new RollcallError('MEDIA_TYPE', { what, field: 'Content-Type', ...forJson('send application/json') });
    }
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new RollcallError('TOO_LARGE', { maxBytes: bodyLimit, ...forJson('send less in one request') });
    case 'FST_ERR_CTP_INVALID_JSON_BODY': {
      const remedy = forJson('send JSON as /docs describes it');
      return new RollcallError('BAD_BODY', { what: 'the body is not valid JSON', ...remedy });
    }
    default:
      return undefined;
  }
}

/** The problem for an error; undefined when the request did not cause it. */
export function problemOf(thrown: unknown) {
  const error = inputRefusal(thrown);
  if (error instanceof RollcallError && statusOf(error.code) !== undefined) return error;
  if (isError(error, 'READING_STOPPED')) return new RollcallError('BUSY', { what: STOPPED[error.facts.reason] });
  const { code = '', message = '', statusCode = 0 } = error as Partial<FastifyError>;
  const busy = busyIn(error);
  if (busy !== undefined) return busy;
  if (isDiskFull(error)) return new RollcallError('DISK_FULL', {});
  if (statusCode === 416) return new RollcallError('RANGE', {});
  const what = message.slice(0, MAX_DETAIL_LENGTH);
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') return new RollcallError('BAD_BODY', { what });
  if (code === 'FST_ERR_BAD_URL') return new RollcallError('NOT_FOUND', { what });
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') {
    return new RollcallError('NOT_FOUND', { what: 'a part of the address is too long' });
  }
  if (statusCode === 403 || statusCode === 404) {
    return new RollcallError('NOT_FOUND', { what: 'there is no file at this address' });
  }
  const isTheirs = (statusCode >= 400 && statusCode < 500) || error instanceof SyntaxError;
  return isTheirs ? new RollcallError('BAD_BODY', { what }) : undefined;
}

const STOPPED: Readonly<Record<FactsOf<'READING_STOPPED'>['reason'], string>> = {
  busy: 'too many questions on rows wait for their answers',
  deadline: 'reading the rows took too long; it was given up',
  memory: 'reading the rows took too much memory; it was given up',
  left: 'the client left before it had its answer',
};

/** A request's own text is not repeated beyond this, in characters. */
const MAX_DETAIL_LENGTH = 300;

export function unknownOption(field: string) {
  return new RollcallError('BAD_OPTION', { what: `there is no option ${shortened(field)} here`, field });
}

/** Returns the problem for the first of zod's issues with options: its name, its value, the allowed ones. */
export function badOption(error: ZodError, given: unknown) {
  const { field, isUnknown, text } = wrongOption(error, given);
  if (isUnknown) return unknownOption(field);
  // The names of options are written as they are.
  return new RollcallError('BAD_OPTION', { what: field === '' ? text : withFullStop(text), field });
}
