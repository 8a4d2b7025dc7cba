import { z } from 'zod';
import { memberResult } from './contract.ts';

/**
 * Reading and editing the members of a group: publicly known, not contract (docs/chat-service.md, 43 to 51).
 * So each reply is asked for no more than what is needed; the rest of it may be missing, odd or new.
 */

/** Longest reply of a page, in bytes: 1,000 users, each with the longest addresses, tags and metadata that are known. */
export const MAX_PAGE_BYTES = 16 * 1024 * 1024;

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

/**
 * The paging information of a page. Documented samples contradict themselves (5 entries, total 0), so that any number
 * can be missing, and none is right for certain.
 */
export type Pagination = Readonly<Partial<NonNullable<z.infer<typeof pagination>>>>;

/** Metadata of a page of entries. */
export const meta = z.object({ pagination }).optional().catch(undefined);

/** One entry of the list of members; fields of the user that are of no use here are dropped. */
const listedMember = z.object({
  uid: z.string().min(1),
  scope: z.string(),
  joinedAt: z.number().nullable().default(null).catch(null),
  name: z.string().optional().catch(undefined),
});

export interface ListedMember {
  readonly uid: string;
  /** One of MEMBER_SCOPES as far as is known; another word is a scope that we know nothing about. */
  readonly scope: string;
  /** Seconds since 1970; null if the reply does not say. */
  readonly joinedAt: number | null;
  /** The user's name; undefined if the reply does not say. */
  readonly name?: string | undefined;
}

/** Reply of GET /groups/{guid}/members. One entry that cannot be read makes the page unreadable: none is left out. */
export const membersPage = z.object({ data: z.array(listedMember), meta });

/** Reply of GET /groups/{guid}/bannedusers. */
export const bannedPage = z.object({ data: z.array(z.object({ uid: z.string().min(1) })), meta });

/** Reply of the operations that change one member: `success`, or the member with its new scope. */
export const editReply = z.object({ data: memberResult });
