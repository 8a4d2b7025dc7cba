import { z } from 'zod';
import type { RefusalCode } from '../errors/errors.ts';

/** Roles of tokens, from the least: viewers look, operators act, admins decide who may do that. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Whether a role may do what is for another. */
export function reaches(role: Role, needed: Role) {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** Such as "an operator". */
export function aRole(role: Role) {
  return `${role === 'viewer' ? 'a' : 'an'} ${role}`;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Schema = z.ZodType | undefined;

export interface Declared {
  readonly summary: string;
  /** Its name in the description of the API, where that of its method and path (server/openapi.ts) does not do. */
  readonly operationId?: string;
  readonly description?: string;
  /** Schema of the names in the path. */
  readonly params?: Schema;
  readonly query?: Schema;
  readonly body?: Schema;
  /** Status of the answer. Default: 200, 204 for `nothing`, and 202 where what was begun has an address. */
  readonly status?: number;
  readonly answer: z.ZodType | FileAnswer;
  /** Its name in the audit log, where it is noted once it is done. Its target is the first name of the path, or what the handler says. */
  readonly audit?: `${string}.${string}`;
  /** The address of what it made, with fields of the answer as `:names`: the header `Location`. */
  readonly location?: `/v1/${string}`;
  /** Codes that it may be refused with, in addition to those that its kind of operation has (server/openapi.ts). */
  readonly refusals?: readonly RefusalCode[];
}

/** An operation of the HTTP API, declared once: server/serve.ts makes its route, and commands call it. */
export interface Operation extends Declared {
  readonly method: Method;
  /** With `:names`, as routers write it. */
  readonly path: string;
  /** The least role that may use it. */
  readonly role: Role | 'public';
  /** The chapter of the description that it stands in. */
  readonly tag: string;
  readonly status: number;
}

/** An answer that is a file, by its media types. */
export interface FileAnswer {
  readonly description: string;
  readonly content: Readonly<Record<string, { readonly schema: z.ZodType }>>;
}

/** A schema of an operation; `object` where it has none. */
type Sent<One, Part extends keyof Declared> =
  One extends Readonly<Record<Part, infer Of extends z.ZodType>> ? z.input<Of> : object;
type Checked<One, Part extends keyof Declared> =
  One extends Readonly<Record<Part, infer Of extends z.ZodType>> ? z.output<Of> : object;
type Rest<One> = One extends { readonly body: z.ZodType } ? 'body' : 'query';

/** Fields of the path and, beside them, of the body or else of the query. */
export type InputOf<One> = Sent<One, 'params'> & Sent<One, Rest<One>>;

/** The input that a page sends for an operation: the names of its path, its query and its body. */
export type SentFor<One> = One extends { readonly route: infer Route }
  ? NamesIn<Route> &
      (One extends { readonly query: z.ZodType }
        ? { readonly query?: { readonly [Name in keyof Sent<One, 'query'>]?: Plain } }
        : object) &
      (One extends { readonly body: z.ZodType } ? { readonly body: Sent<One, 'body'> } : object)
  : never;
type NamesIn<Route> = Route extends `${string}/:${infer Name}/${infer Rest}`
  ? Readonly<Record<Name, string>> & NamesIn<`/${Rest}`>
  : Route extends `${string}/:${infer Name}`
    ? Readonly<Record<Name, string>>
    : object;
type Plain = string | number | boolean | null | undefined;
export type AnswerOf<One> = One extends { readonly answer: z.ZodType<infer Answer> } ? Answer : never;

/** The person who asks for an operation, and its line in the audit log. */
export interface Call {
  /** Name of the person who asks, as records and the audit log have it. */
  readonly who: string;
  readonly audited: Audited;
}

/**
 * Writes the line of an operation into the audit log; null: it needs none. One that never calls it, and has a name in
 * its path, gets a line with that as the target.
 */
export type Audited = (detail: string | null, target?: string, action?: string) => void;

/** Does an operation: the one implementation of it. @param input as InputOf, checked */
type Handler<One, Calling> = (
  input: Checked<One, 'params'> & Checked<One, Rest<One>>,
  call: Calling,
) => Promise<(One extends { readonly answer: infer Answer } ? HandledAs<Answer> : never) | ReplyOf<Calling>>;
type HandledAs<Answer> = Answer extends z.ZodType ? z.input<Answer> : AsyncIterable<string | Uint8Array>;
type ReplyOf<Calling> = Calling extends { readonly reply: infer Reply } ? Reply : never;

/** Handlers of operations of a group, by their names there. @typeParam Calling a call of the server has the request too, and its reply */
export type HandlersOf<Group, Calling = Call> = { readonly [Name in keyof Group]?: Handler<Group[Name], Calling> };

/**
 * Declares operations of one chapter, each as `METHOD /path`, who may use it, and the rest.
 * @param params of its paths with names, where an operation declares no others
 * @param shared codes that each of them may be refused with
 */
export function operationsOf<Shared extends Schema = undefined>(
  tag: string,
  params?: Shared,
  shared: readonly RefusalCode[] = [],
) {
  return <const Route extends `${Method} /${string}`, const One extends Declared>(
    route: Route,
    role: Role | 'public',
    declared: One,
  ) => {
    const [method, path] = route.split(' ') as [Method, string];
    const status = declared.answer instanceof z.ZodVoid ? 204 : declared.location === undefined ? 200 : 202;
    const refusals = [...shared, ...(declared.refusals ?? [])];
    const named = (path.includes(':') && { params }) as Route extends `${string}:${string}`
      ? { readonly params: One extends { readonly params: z.ZodType } ? unknown : Shared }
      : object;
    return { status, ...named, ...declared, refusals, route, method, path, role, tag };
  };
}

/** The answer of an operation after which there is nothing to say. */
export function nothing(description: string): z.ZodVoid {
  return z.void().describe(description);
}

export function fileOf(description: string, ...types: readonly string[]): FileAnswer {
  return { description, content: Object.fromEntries(types.map((type) => [type, { schema: z.string() }])) };
}

/** The path of a request with the fields that it names filled in, and the other fields. */
export function addressOf(path: string, input: object): { readonly address: string; readonly rest: object } {
  const rest = new Map<string, unknown>(Object.entries(input).filter(([, value]) => value !== undefined));
  const address = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return encodeURIComponent(String(value));
  });
  return { address, rest: Object.fromEntries(rest) };
}
