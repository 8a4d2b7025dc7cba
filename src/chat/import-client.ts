import { z } from 'zod';
import { foldId } from '../membership/membership.ts';
import { type Ask, type CallOptions, otherEntry, type ReplyMeta } from './call.ts';
import { type MemberResult, memberEntry } from './contract.ts';
import type { Redact } from './redact.ts';

export type ImportClient = ReturnType<typeof createImportClient>;

/** The result of each entity of an import, by its key in lower case. One that the reply leaves out is missing. */
export type ImportedEntities = ReadonlyMap<string, MemberResult>;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Results are under `data`, or under `data` in `data` (docs/chat-service.md, 75): only a result says whether it is a success. */
const importReply = z.looseObject({
  data: z
    .custom<Readonly<Record<string, unknown>>>(isObject, { error: 'expected an object with the keys of the call' })
    .transform((data) => {
      const { data: inner } = data;
      return isObject(inner) && typeof inner['success'] !== 'boolean' ? inner : data;
    }),
});

/** Calls of the data import (docs/chat-service.md, 72 to 78): publicly known, not contract. Errors are those of every call. */
export function createImportClient(ask: Ask, redact: Redact) {
  return {
    /** Imports up to 50 users, groups or members, which have keys of their own. */
    async importEntities(
      what: 'users' | 'groups' | 'members',
      entities: ReadonlyMap<string, object>,
      { signal }: CallOptions = {},
    ): Promise<ReplyMeta & { readonly entries: ImportedEntities }> {
      const body = { [what]: Object.fromEntries(entities) };
      const { reply, ...meta } = await ask({ method: 'POST', path: `/data_import/${what}`, body }, importReply, signal);
      const entries = Object.entries(reply.data).map(([key, written]): [string, MemberResult] => {
        const entry = memberEntry(written);
        return [foldId(key), entry.success === true ? { success: true } : otherEntry(entry, redact)];
      });
      return { ...meta, entries: new Map(entries) };
    },
  };
}
