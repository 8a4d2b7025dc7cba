import type { z } from 'zod';
import type { ServiceError } from '../chat/contract.ts';
import type { Behaviour } from './behaviour.ts';
import type { FaultKind } from './injected-faults.ts';
import { type App, type Group, SYSTEM_USER, storedId, type User } from './sandbox-app.ts';

/** One request for an operation of an app, after authentication. */
export interface Call {
  readonly app: App;
  readonly behaviour: Behaviour;
  /** The parameters of the path by their names, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly contentType: string;
  readonly body: string;
  /** The header onBehalfOf; empty when the system user acts. */
  readonly onBehalfOf: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The fault injected into this call, for operations that show it themselves. */
  readonly fault: FaultKind | undefined;
  /** The part of the reply beside its data: a list sets its paging information. */
  meta?: object;
}

/**
 * Operations of an app by method and path below the version prefix, in which a segment in braces is a parameter. Each carries
 * out a call and returns the data of its reply, or throws a Refusal. A Map is an object whose keys stay in their order: an
 * object of JavaScript puts those that are numbers first.
 */
export type Operations = Readonly<Record<string, (call: Call) => object>>;

export function jsonOf(body: unknown): string {
  if (!(body instanceof Map)) return JSON.stringify(body);
  const fields = [...body].filter(([, value]) => value !== undefined);
  return `{${fields.map(([key, value]) => `${JSON.stringify(key)}:${jsonOf(value)}`).join(',')}}`;
}

/** A request that the service refuses entirely: its status and the `error` of its body. */
export class Refusal extends Error {
  readonly status: number;
  readonly error: ServiceError;

  constructor(status: number, error: ServiceError) {
    super(`${status} ${error.code}`);
    this.name = 'Refusal';
    this.status = status;
    this.error = error;
  }
}

/** An error as the service writes it, in a refused request as well as in the entry of a refused UID. */
function serviceError(code: string, message: string, details?: Record<string, string[]>): ServiceError {
  return { message, devMessage: message, source: 'chat-api', details, code };
}

export function refusal(status: number, code: string, message: string) {
  return new Refusal(status, serviceError(code, message));
}

/** 400 for a body or query whose fields do not hold what they must. */
export function badRequest(text: string, ...fields: readonly string[]) {
  return badFields(Object.fromEntries(fields.map((field) => [field, [text]])));
}

function badFields(details: Record<string, string[]>) {
  return new Refusal(400, serviceError('ERR_BAD_REQUEST', 'The request holds invalid data, see details.', details));
}

/** Reasons why a user cannot have the requested place in a group. */
function obstacleTexts(uid: string, guid: string) {
  const [user, group] = [`The user with UID ${uid}`, `the group with GUID ${guid}`];
  return {
    ERR_UID_NOT_FOUND: `${user} does not exist.`,
    ERR_GROUP_NOT_JOINED: `${user} is not a member of ${group}.`,
    ERR_ALREADY_JOINED: `${user} has already joined ${group}.`,
    ERR_BANNED_GROUPMEMBER: `${user} is banned from ${group}.`,
    ERR_ALREADY_BANNED: `${user} is already banned from ${group}.`,
    ERR_NO_VACANCY: `The group with GUID ${guid} is full.`,
    ERR_NOT_A_MEMBER: `${user} is not a member of ${group}.`,
    ERR_SAME_SCOPE: `${user} has this scope in ${group} already.`,
    ERR_NOT_A_BANNED_USER: `${user} is not banned from ${group}.`,
  };
}

export function obstacleError(obstacle: keyof ReturnType<typeof obstacleTexts>, uid: string, guid = '') {
  return serviceError(obstacle, obstacleTexts(uid, guid)[obstacle]);
}

/** Carries out the parts of a call in turn. A fault may end it halfway, or keep the last result back. */
export function eachPart<Part, Result>({ fault }: Call, parts: readonly Part[], carryOut: (part: Part) => Result) {
  const results = (fault === 'reset-midway' ? parts.slice(0, parts.length >> 1) : parts).map(carryOut);
  return fault === 'omit-uid' ? results.slice(0, -1) : results;
}

/** The request body as the schema has it, or a 400 that names each field and what is wrong with it. */
export function readBody<T>(call: Call, schema: z.ZodType<T>): T {
  if (!/^application\/json\s*(;|$)/i.test(call.contentType)) {
    throw badRequest('The header Content-Type must be application/json.', 'Content-Type');
  }
  let json: unknown;
  try {
    json = JSON.parse(call.body);
  } catch {
    throw badRequest('The body must be valid JSON.', 'body');
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const details = new Map<string, string[]>();
  for (const issue of parsed.error.issues) {
    const fields = issue.code === 'unrecognized_keys' ? issue.keys : [String(issue.path[0] ?? 'body')];
    for (const field of fields) details.set(field, [...(details.get(field) ?? []), issue.message]);
  }
  throw badFields(Object.fromEntries(details));
}

/** The group of the path, or another one; refused when there is none. */
export function requireGroup(call: Call, guid = call.params['guid'] ?? '') {
  const group = call.app.groups.find(guid);
  if (group !== undefined) return group;
  throw refusal(call.behaviour.unknownGroupStatus, 'ERR_GUID_NOT_FOUND', `The group with GUID ${guid} does not exist.`);
}

/** A user who is active: a deactivated one counts as unknown. */
export function activeUser({ app }: Call, uid: string): User | undefined {
  const user = app.users.find(uid);
  return user?.deactivatedAt === undefined ? user : undefined;
}

/** The id of a new user or group, as it is stored; refused where it is taken. */
export function freeId({ app, behaviour }: Call, kind: 'user' | 'group', id: string) {
  const stored = storedId(id);
  const name = kind === 'user' ? 'uid' : 'guid';
  const shown = name.toUpperCase();
  if (stored === undefined) throw badRequest(`A ${shown} has up to 100 letters, digits, "-" and "_".`, name);
  if (app[`${kind}s`].get(stored) === undefined) return stored;
  const message = `The ${kind} with ${shown} ${stored} already exists.`;
  throw refusal(behaviour.duplicateStatus, `ERR_${shown}_ALREADY_EXISTS`, message);
}

/** The user of the path, or another one; refused when there is none. */
export function requireUser(call: Call, uid = call.params['uid'] ?? '') {
  const user = activeUser(call, uid);
  if (user === undefined) throw new Refusal(404, obstacleError('ERR_UID_NOT_FOUND', uid));
  return user;
}

/** Returns the acting user: the system user, or the user of onBehalfOf, who has to exist. */
export function actingUser(call: Call): User {
  return call.onBehalfOf === '' ? SYSTEM_USER : requireUser(call, call.onBehalfOf);
}

/** Timestamps go over the wire as whole seconds (public documentation, not contract). Fields that are absent are left out of JSON. */
export function seconds(milliseconds: number) {
  return Math.floor(milliseconds / 1000);
}

/** A user as embedded in messages. */
export function userEntity({ uid, name, role, avatar, createdAt, updatedAt }: User) {
  return {
    uid,
    name,
    role,
    avatar,
    status: 'offline',
    createdAt: seconds(createdAt),
    updatedAt: updatedAt && seconds(updatedAt),
  };
}

/** A group as embedded in messages, with the number of members at this moment. */
export function groupEntity({ profile, updatedAt, membersCount }: Group) {
  const { metadata: _, createdAt, ...shown } = profile;
  return {
    ...shown,
    membersCount,
    conversationId: groupConversation(profile.guid),
    createdAt: seconds(createdAt),
    updatedAt: updatedAt && seconds(updatedAt),
  };
}

export function groupConversation(guid: string) {
  return `group_${guid}`;
}

/** The actions of messages. The contract names the first; the others are publicly documented. */
export type ActionWord = 'added' | 'joined' | 'left' | 'kicked' | 'banned' | 'unbanned' | 'scopeChanged';

/** The action message (docs/chat-service.md, 25) about what a call has just done to a user. */
export function actionMessage(call: Call, group: Group, action: ActionWord, on: User) {
  const by = call.behaviour.actionSender === 'system' ? SYSTEM_USER : actingUser(call);
  const { guid } = group.profile;
  return messageOf(call, {
    conversationId: groupConversation(guid),
    sender: by.uid,
    receiverType: 'group',
    receiver: guid,
    category: 'action',
    type: 'groupMember',
    data: {
      action,
      entities: {
        by: { entity: userEntity(by), entityType: 'user' },
        on: { entity: userEntity(on), entityType: 'user' },
        for: { entity: groupEntity(group), entityType: 'group' },
      },
    },
  });
}

/** A message as it is sent now; it takes the app's next message id. */
export function messageOf({ app, now }: Call, message: object) {
  const sentAt = seconds(now);
  return { id: app.nextMessageId(), ...message, sentAt, updatedAt: sentAt };
}
