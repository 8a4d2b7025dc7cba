/** Requests to the server: an answer, or one kind of error. */
import type { AnswerOf, SentFor } from '../api/operation.ts';
import type { importOperations } from '../api/operations/import-operations.ts';
import type { memberOperations } from '../api/operations/member-operations.ts';
import type { rowOperations } from '../api/operations/row-operations.ts';
import type { serviceOperations, sessionOperations } from '../api/operations/service-operations.ts';
import type { Problem } from './answers.ts';
import { forPeople } from './remedies.ts';
import { connection } from './server-connection.ts';

/** The server's refusal (its problem document), or `AWAY` when it did not answer. */
export class ApiError extends Error {
  problem: Problem;

  constructor(problem: Problem) {
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

interface RequestOptions {
  method?: string;
  body?: Blob;
  /** Body in place of a file. */
  json?: object | undefined;
  signal?: AbortSignal;
}

/**
 * The JSON that a request is answered with; undefined for 204.
 * @throws ApiError
 */
export async function request<T>(
  path: string,
  { method = 'GET', body, json, signal }: RequestOptions = {},
): Promise<T> {
  const init: RequestInit = { method };
  if (body !== undefined) Object.assign(init, { body, headers: { 'content-type': 'application/octet-stream' } });
  if (json !== undefined)
    Object.assign(init, { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } });
  // A change that a person asked for is made, also when the page is left at once.
  if (signal !== undefined && method === 'GET') init.signal = signal;
  let reply: Response;
  try {
    reply = await fetch(path, init);
  } catch (error) {
    if (signal?.aborted) throw error;
    connection.lost();
    throw away();
  }
  if (reply.ok) {
    const answer: T = reply.status === 204 ? undefined : await reply.json();
    signal?.throwIfAborted();
    return answer;
  }
  const text = await reply.text();
  throw path === '/v1/session' ? new ApiError(problemOf(reply.status, text)) : refusal(reply.status, text);
}

type Groups =
  | typeof importOperations
  | typeof memberOperations
  | typeof rowOperations
  | typeof serviceOperations
  | typeof sessionOperations;
type Declared<Group> = Extract<Group extends unknown ? Group[keyof Group] : never, { readonly route: string }>;
type CallerOf<Group> = <Route extends Declared<Group>['route']>(
  route: Route,
  input: SentFor<Extract<Declared<Group>, { readonly route: Route }>>,
  signal?: AbortSignal,
) => Promise<AnswerOf<Extract<Declared<Group>, { readonly route: Route }>>>;

/** Has the server do an operation, by its route as it is declared (src/api/operations). @throws ApiError */
export const call: CallerOf<Groups> = callsOf<Groups>();

/** The same for the operations of a feature. */
export function callsOf<Group>(): CallerOf<Group> {
  return (route, input, signal) => {
    const [method = '', path = ''] = route.split(' ');
    const { query: asked, body, ...names } = input as { query?: Parameters<typeof query>[0]; body?: object };
    const address = path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(String(Reflect.get(names, name))));
    return request(`${address}${query(asked ?? {})}`, {
      method,
      json: body,
      ...(signal !== undefined && { signal }),
    });
  };
}

/** The error of a refused request; tells `refused` where that is why. */
export function refusal(status: number, text: string) {
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

/** The problem document in this text, or one made of the status: a proxy may have answered. */
function problemOf(status: number, text: string): Problem {
  try {
    const problem = JSON.parse(text);
    if (typeof problem.code === 'string')
      return { title: problem.code, detail: problem.title ?? problem.code, ...problem };
  } catch {
    // Not of this server.
  }
  return { title: 'Refused', status, code: `HTTP_${status}`, detail: `The server answered with status ${status}.` };
}

/** A query string of what is set, '' for nothing. */
export function query(values: Readonly<Record<string, string | number | boolean | null | undefined>>) {
  const set = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const text = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

/**
 * The address of an import in the API.
 * @param rest such as "/rows"
 */
export function importPath(id: string, rest: string = '') {
  return `/v1/imports/${encodeURIComponent(id)}${rest}`;
}

/**
 * The address of a sync in the API.
 * @param rest such as "/groups"
 */
export function syncPath(id: string, rest: string = '') {
  return `/v1/syncs/${encodeURIComponent(id)}${rest}`;
}
