/** Requests to the server: an answer, or one kind of error. */

import { signal } from '@preact/signals';
import type { AnswerOf, SentFor } from '../api/operation.ts';
import type { Problem } from './answers.ts';
import { forPeople } from './option-words.ts';

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

/** The JSON that a request is answered with; undefined for 204. @throws ApiError */
export async function request<T>(
  path: Address<T> | string,
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

/** Files that declare operations. */
type Files =
  | typeof import('../api/imports.ts')
  | typeof import('../api/members.ts')
  | typeof import('../api/overview.ts')
  | typeof import('../api/rows.ts')
  | typeof import('../api/service.ts')
  | typeof import('../features/check/operations.ts')
  | typeof import('../features/correct/operations.ts')
  | typeof import('../features/export/operations.ts')
  | typeof import('../features/notify/operations.ts')
  | typeof import('../features/schedule/operations.ts')
  | typeof import('../features/sync/operations.ts');
type Groups<File> = File extends unknown ? File[keyof File & `${string}Operations`] : never;
type Routes<Group> = Extract<Group extends unknown ? Group[keyof Group] : never, { readonly route: string }>;
type Declared = Routes<Groups<Files>>;
type Asked<Route> = Extract<Declared, { readonly route: Route }>;

declare const ANSWER: unique symbol;
/** An address of the API, which knows the type of its answer. */
export type Address<Answer> = string & { readonly [ANSWER]?: Answer };

/** The address of an operation. @param input the names in its path, and its query */
export function addressOf<Route extends Declared['route']>(
  route: Route,
  input: Omit<SentFor<Asked<Route>>, 'body'>,
): Address<AnswerOf<Asked<Route>>> {
  const { query: asked, ...names } = input as { query?: Parameters<typeof query>[0] };
  const [, path = ''] = route.split(' ');
  const address = path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(String(Reflect.get(names, name))));
  return `${address}${query(asked ?? {})}`;
}

/** Has the server do an operation. @throws ApiError */
export function call<Route extends Declared['route']>(
  route: Route,
  input: SentFor<Asked<Route>>,
  signal?: AbortSignal,
): Promise<AnswerOf<Asked<Route>>> {
  return request(addressOf(route, input), {
    method: route.slice(0, route.indexOf(' ')),
    json: Reflect.get(input, 'body') as object | undefined,
    ...(signal !== undefined && { signal }),
  });
}

/** The error of a refused request; tells `refused` where that is why. */
export function refusal(status: number, text: string) {
  if (status === 401) access.dispatchEvent(new Event('refused'));
  return new ApiError(problemOf(status, text));
}

/** The error of a field, before anything is sent. */
export function wrongField(field: string, detail: string) {
  return new ApiError({ title: 'Wrong', status: 0, code: 'WRONG_FIELD', field, detail });
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

/** Whether the server may answer the same in a moment. */
export function isBusy(error: unknown) {
  return error instanceof ApiError && error.problem.status === 503;
}

export function isAway(error: unknown) {
  return error instanceof ApiError && error.code === 'AWAY';
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

const MAX_WAIT_MS = 5000;
/** Over a network that is gone, an answer may fail to come for minutes. */
const MAX_ANSWER_MS = 5000;

/** Tells `back` when the server answers again. */
class Connection extends EventTarget {
  /**
   * While the server does not answer: when that was found, which is the time up to which the page is right, and when the
   * next attempt is due, in ms since 1970.
   */
  gone = signal<{ asOf: number; dueAt: number } | null>(null);
  #asking: Promise<void> | undefined;
  #timer: number | undefined;

  constructor() {
    super();
    addEventListener('online', () => this.away && void this.ask());
    addEventListener('offline', () => this.lost());
  }

  get away() {
    return this.gone.peek() !== null;
  }

  /** The time up to which the page is right; undefined while the server answers. */
  get asOf() {
    return this.gone.value?.asOf;
  }

  /** A request has had no answer at all. One that was merely cut off brings no banner: the next attempt is at once. */
  lost() {
    if (!this.away) void this.ask();
  }

  /** Resolves when it is known whether the server answers. */
  ask() {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask() {
    clearTimeout(this.#timer);
    const answered = await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(MAX_ANSWER_MS) })
      .then(
        // Read to its end: an answer that is not kept and not read holds its connection.
        (reply) => reply.text().then(() => reply.ok),
      )
      .catch(() => false);
    const before = this.gone.peek();
    if (answered) {
      this.gone.value = null;
      if (before !== null) this.dispatchEvent(new Event('back'));
      return;
    }
    const now = Date.now();
    const asOf = before?.asOf ?? now;
    // As long as it has been away so far.
    const waitMs = Math.min(MAX_WAIT_MS, Math.max(1000, now - asOf));
    this.gone.value = { asOf, dueAt: now + waitMs };
    this.#timer = setTimeout(() => void this.ask(), waitMs);
  }
}

export const connection = new Connection();
