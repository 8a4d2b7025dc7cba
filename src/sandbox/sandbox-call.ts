import type { z } from 'zod';
import type { Behaviour } from './behaviour.ts';
import { SYSTEM_USER } from './entities.ts';
import type { Group } from './group.ts';
import type { FaultKind } from './injected-faults.ts';
import { badRequest, guidNotFound, Refusal, uidNotFound } from './refusal.ts';
import type { App, User } from './sandbox-app.ts';

/** One request for an operation of an app, after authentication. */
export interface Call {
  readonly app: App;
  readonly behaviour: Behaviour;
  /** Path parameters in the order of the path, decoded. */
  readonly params: readonly string[];
  readonly query: URLSearchParams;
  readonly contentType: string;
  readonly body: string;
  /** The header onBehalfOf; empty when the system user acts. */
  readonly onBehalfOf: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The fault injected into this call, for operations that show it themselves. */
  readonly fault: FaultKind | undefined;
}

/** The body of a reply as it is sent, where the order of its keys counts. */
export class WrittenReply {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/** Carries out a call and returns the body of its reply, or throws a Refusal. */
export type Operation = (call: Call) => object | WrittenReply;

/** The request body as the schema has it, or a 400 that names each field and what is wrong with it. */
export function readBody<T>(call: Call, schema: z.ZodType<T>): T {
  if (!/^application\/json\s*(;|$)/i.test(call.contentType)) {
    throw badRequest({ 'Content-Type': ['The header Content-Type must be application/json.'] });
  }
  let json: unknown;
  try {
    json = JSON.parse(call.body);
  } catch {
    throw badRequest({ body: ['The body must be valid JSON.'] });
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const details = new Map<string, string[]>();
  for (const issue of parsed.error.issues) {
    const fields = issue.code === 'unrecognized_keys' ? issue.keys : [String(issue.path[0] ?? 'body')];
    for (const field of fields) details.set(field, [...(details.get(field) ?? []), issue.message]);
  }
  throw badRequest(Object.fromEntries(details));
}

/** The group of the path, which is the first parameter; refused when there is none. */
export function requireGroup(call: Call, guid = call.params[0] ?? ''): Group {
  const group = call.app.group(guid);
  if (group === undefined) throw new Refusal(call.behaviour.unknownGroupStatus, guidNotFound(guid));
  return group;
}

export function requireUser(call: Call, uid: string): User {
  const user = call.app.user(uid);
  if (user === undefined) throw new Refusal(404, uidNotFound(uid));
  return user;
}

/** Returns the acting user: the system user, or the user of onBehalfOf, who has to exist. */
export function actingUser(call: Call): User {
  return call.onBehalfOf === '' ? SYSTEM_USER : requireUser(call, call.onBehalfOf);
}
