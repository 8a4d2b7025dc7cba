import type { z } from 'zod';
import type { InputOf, Operation } from '../../api/operation.ts';
import { type ErrorCode, entryOf } from '../../errors/errors.ts';
import { isError } from '../../errors/rollcall-error.ts';
import { asSentence } from '../../text/wording.ts';

/** Does operations for a command: a server, over HTTP (server-client.ts), or this process (local-client.ts). */
export interface Client {
  /** Has an operation done; never repeated. @throws AWAY, or as its handler */
  call<One extends Operation, Answer>(operation: One & Answering<Answer>, input: InputOf<One>): Promise<Answer>;
  /** An answer piece by piece. @param signal ends it @throws as `call`, before the first piece and between pieces */
  download<One extends Operation>(
    operation: One,
    input: InputOf<One>,
    signal?: AbortSignal,
  ): Promise<AsyncIterable<string | Uint8Array>>;
}

export interface Answering<Answer> {
  readonly answer: z.ZodType<Answer>;
}

/** An answer; undefined where it is refused with this code. */
export async function unless<Answer>(code: ErrorCode, answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isError(error, code)) return undefined;
    throw error;
  }
}

/** The remedy of a refusal for a person at a terminal. @param given for programs */
export function remedyFor(code: string, given: string) {
  const { command } = entryOf(code) ?? {};
  return typeof command === 'string' ? asSentence(command) : given;
}

/** Entries that every list gives at a time. */
const PAGE = 200;

/** The first entries of a list, asked for page by page. @param limit default: all */
export async function entriesOf<
  Name extends string,
  Page extends Readonly<Record<Name, readonly unknown[]>> & { readonly nextCursor: string | null },
>(
  name: Name,
  page: (asked: { readonly limit: string; readonly cursor?: string | undefined }) => Promise<Page>,
  limit = Number.POSITIVE_INFINITY,
): Promise<Page[Name][number][]> {
  const found: Page[Name][number][] = [];
  let cursor: string | null | undefined;
  while (cursor !== null && found.length < limit) {
    const answer: Page = await page({ limit: `${Math.min(PAGE, limit - found.length)}`, cursor });
    found.push(...answer[name]);
    cursor = answer.nextCursor;
  }
  return found;
}
