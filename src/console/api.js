/** Requests to the server: an answer, or one kind of error. */
import { connection } from './connection.js';
import { forPeople } from './remedies.js';

/** @import { Problem } from './answers.d.ts' */

/** What the server refused (its problem document), or `AWAY` when it did not answer. */
export class ApiError extends Error {
  /** @type {Problem} */
  problem;

  /** @param {Problem} problem */
  constructor(problem) {
    super(problem.detail);
    this.name = 'ApiError';
    this.problem = forPeople(problem);
  }

  get code() {
    return this.problem.code;
  }
}

/** Tells `refused` when the server wants to know first who asks. */
export const access = new EventTarget();

/**
 * The JSON that a request is answered with; undefined for 204.
 * @template T
 * @param {string} path
 * @param {{ method?: string, body?: BodyInit, type?: string, signal?: AbortSignal }} [options] `type` of the body
 * @returns {Promise<T>}
 * @throws {ApiError}
 */
export async function request(path, { method = 'GET', body, type, signal } = {}) {
  /** @type {RequestInit} */
  const init = { method, headers: type === undefined ? {} : { 'content-type': type } };
  if (body !== undefined) init.body = body;
  if (signal !== undefined) init.signal = signal;
  /** @type {Response} */
  let reply;
  try {
    reply = await fetch(path, init);
  } catch (error) {
    if (signal?.aborted) throw error;
    connection.lost();
    throw away();
  }
  if (reply.ok) return reply.status === 204 ? /** @type {T} */ (undefined) : await reply.json();
  const text = await reply.text();
  throw path === '/v1/session' ? new ApiError(problemOf(reply.status, text)) : refusal(reply.status, text);
}

/** The error of a refused request; tells `refused` where that is why. @param {number} status @param {string} text */
export function refusal(status, text) {
  if (status === 401) access.dispatchEvent(new Event('refused'));
  return new ApiError(problemOf(status, text));
}

/** The error of a server that does not answer. */
export function away() {
  return new ApiError({
    title: 'No answer',
    status: 0,
    code: 'AWAY',
    detail: 'The server does not answer.',
    remedy: 'Nothing is lost; try again when it is back.',
  });
}

/**
 * The problem document in this text, or one made of the status: a proxy may have answered.
 * @param {number} status
 * @param {string} text
 * @returns {Problem}
 */
function problemOf(status, text) {
  try {
    const problem = JSON.parse(text);
    if (typeof problem.code === 'string')
      return { title: problem.code, detail: problem.title ?? problem.code, ...problem };
  } catch {
    // Not of this server.
  }
  return { title: 'Refused', status, code: `HTTP_${status}`, detail: `The server answered with status ${status}.` };
}

/**
 * A query string of what is set, '' for nothing.
 * @param {Readonly<Record<string, string | number | boolean | null | undefined>>} values
 */
export function query(values) {
  const set = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const text = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

/**
 * The address of an import in the API.
 * @param {string} id
 * @param {string} [rest] such as "/rows"
 */
export function importPath(id, rest = '') {
  return `/v1/imports/${encodeURIComponent(id)}${rest}`;
}

/**
 * The address of a sync in the API.
 * @param {string} id
 * @param {string} [rest] such as "/groups"
 */
export function syncPath(id, rest = '') {
  return `/v1/syncs/${encodeURIComponent(id)}${rest}`;
}
