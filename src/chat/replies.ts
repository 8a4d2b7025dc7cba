import { z } from 'zod';
import { writtenResult } from './contract.ts';

/**
 * Reading and editing the members of a group: publicly known, not contract (docs/chat-service.md, 43 to 51).
 * So each reply is asked for no more than what is needed; the rest of it may be missing, odd or new.
 */

/** Longest reply of a page, in bytes: 1,000 users, each with the longest addresses, tags and metadata that are known. */
export const MAX_PAGE_BYTES = 16 * 1024 * 1024;

const number = z.number().nullable().default(null).catch(null);

/** A missing or malformed number says nothing; one in quotes counts as a number. */
const count = z
  .union([
    z.int().nonnegative(),
    z
      .string()
      .regex(/^\d{1,15}$/)
      .transform(Number),
  ])
  .optional()
  .catch(undefined);

const pagination = z
  .object({ total: count, count, per_page: count, total_pages: count })
  .transform(({ total, count, per_page, total_pages }) => ({
    total,
    count,
    perPage: per_page,
    totalPages: total_pages,
  }))
  .optional()
  .catch(undefined);

/** The paging information of a page. Documented samples contradict themselves: any number can be missing or wrong. */
export type Pagination = Readonly<Partial<NonNullable<z.infer<typeof pagination>>>>;

export const meta = z.object({ pagination }).optional().catch(undefined);

/** One entry of the list of members; fields of the user that are of no use here are dropped. */
export const listedMember = z.object({
  uid: z.string().min(1),
  /** One of MEMBER_SCOPES as far as is known; another word is a scope that we know nothing about. */
  scope: z.string(),
  /** Seconds since 1970; null if the reply does not say. */
  joinedAt: number,
  /** Undefined if the reply does not say. */
  name: z.string().optional().catch(undefined),
});
export type ListedMember = Readonly<z.infer<typeof listedMember>>;

export const bannedUser = z.object({ uid: z.string().min(1) });

/** The part of an action message (docs/chat-service.md, 25) that says about whom and which group it is. */
export const actionMessage = z.object({
  category: z.string(),
  data: z.object({
    entities: z.object({
      on: z.object({ entity: z.object({ uid: z.string() }) }),
      for: z.object({ entity: z.object({ guid: z.string() }) }),
    }),
  }),
});

/** Reply of the operations that change one member: `success`, the member with its new scope, or an action message. */
export const editReply = z.object({ data: writtenResult });
export type EditReply = z.infer<typeof editReply>;

/**
 * Reading the users and groups of an app: publicly known, not contract. Fields beyond the
 * id may be missing, odd or new, and an odd one counts as missing: it must not hide that the user or group exists.
 */

const text = z.string().min(1).nullable().default(null).catch(null);
const tags = z.array(z.string()).default([]).catch([]);
const metadata = z.record(z.string(), z.unknown()).nullable().default(null).catch(null);

/** A user as `GET /users` and `GET /users/{uid}` show it. Times are seconds since 1970; null: not given. */
export const userFacts = z.object({
  uid: z.string().min(1),
  name: text,
  role: text,
  avatar: text,
  link: text,
  statusMessage: text,
  tags,
  metadata,
  createdAt: number,
  /** Not null: the user is deactivated. */
  deactivatedAt: number,
});
export type UserFacts = Readonly<z.infer<typeof userFacts>>;

/** A group as `GET /groups` and `GET /groups/{guid}` show it. Times are seconds since 1970; null: not given. */
export const groupFacts = z.object({
  guid: z.string().min(1),
  name: text,
  type: text,
  /** UID. */
  owner: text,
  description: text,
  icon: text,
  tags,
  metadata,
  membersCount: z.int().nonnegative().nullable().default(null).catch(null),
  createdAt: number,
});
export type GroupFacts = Readonly<z.infer<typeof groupFacts>>;

/** An app as `GET {management_url}/apps` shows it. Its keys may be in the reply, and are not read. */
const appFacts = z.object({ id: z.coerce.string().min(1), name: text, region: text, createdAt: number });
export type AppFacts = Readonly<z.infer<typeof appFacts>>;

/** Reply of GET {management_url}/apps: a sample in the public documentation has one app in place of the list. */
export const appsPage = z.object({ data: z.union([z.array(appFacts), appFacts.transform((app) => [app])]), meta });

/** Reply of GET /users/{uid}. */
export const userReply = z.object({ data: userFacts }).transform(({ data: user }) => ({ user }));

const hasJoined = z.boolean().nullable().default(null).catch(null);

/** A group in `GET /groups?hasJoined=true`. One that does not say it may be any group, where the service ignores the filter. */
export const joinedGroup = groupFacts.pick({ guid: true }).extend({ hasJoined, scope: text });
export type JoinedGroup = Readonly<z.infer<typeof joinedGroup>>;

/** Reply of GET /groups?hasJoined=true: groups of the acting user. */
export const joinedPage = z
  .object({ data: z.array(joinedGroup) })
  .transform(({ data }) => ({ groups: data.filter((group) => group.hasJoined !== false) }));

/** Reply of GET /groups/{guid}, which may leave out the GUID that was asked for. */
export const groupReply = z.object({
  data: groupFacts.extend({
    guid: z.string().default('').catch(''),
    /** Whether the acting user is a member, and with which scope. */
    hasJoined,
    scope: text,
  }),
});
