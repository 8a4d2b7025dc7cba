import type { z } from 'zod';
import type { Call, HandlersOf, InputOf, Operation } from '../../api/operation.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';

/** Does operations for a command: a server, over HTTP (server-client.ts), or this process (`handledLocally`). */
export interface Client {
  /** Has an operation done; never repeated. @throws ServerRefused, ServerFault, ServerAway, or as its handler */
  call<One extends Operation, Answer>(operation: One & Answering<Answer>, input: InputOf<One>): Promise<Answer>;
  /** An answer piece by piece. @throws as `call`, before the first piece and between pieces */
  download<One extends Operation>(operation: One, input: InputOf<One>): Promise<AsyncIterable<string | Uint8Array>>;
}

export interface Answering<Answer> {
  readonly answer: z.ZodType<Answer>;
}

/** A call whose line in the audit log is written at its end, if it was not before. */
export interface NotedCall extends Call {
  readonly done: () => void;
}

/**
 * Does the operations that have a handler in this process; their input is checked as by a server.
 * @param noted begins the call of an operation that is noted; undefined: the command notes what it does
 */
export function handledLocally<Group extends Readonly<Record<string, Operation>>>(
  group: Group,
  handlers: HandlersOf<Group>,
  noted?: (action: string | undefined, named: string | undefined) => NotedCall,
): Client {
  const handle = async (operation: Operation, input: unknown): Promise<never> => {
    const [name = ''] = Object.entries(group).find(([, one]) => one === operation) ?? [];
    const handler = (handlers as Readonly<Record<string, unknown>>)[name] as (
      input: object,
      call?: Call,
    ) => Promise<never>;
    const { params, query, body } = operation;
    const named = (params?.parse(input) ?? {}) as Readonly<Record<string, string>>;
    const rest = Object.entries(input as object).filter(([field]) => !(field in named));
    const given = { ...(await checked(body ?? query, Object.fromEntries(rest))), ...named };
    const call = noted?.(operation.audit, Object.values(named)[0]);
    const answer = await handler(given, call);
    call?.done();
    return answer;
  };
  return { call: handle, download: handle };
}

/** @throws Problem BAD_OPTION, as a server does */
async function checked(schema: z.ZodType | undefined, given: object): Promise<object> {
  const read = schema?.safeParse(given);
  if (read === undefined) return {};
  if (read.success) return read.data as object;
  throw (await import('../../server/refusals.ts')).badOption(read.error, given);
}

/** An answer; undefined where it is refused with this code. */
export async function unless<Answer>(code: string, answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RollcallError && error.code === code) return undefined;
    throw error;
  }
}

/** The first entries of a server's list, asked for page by page. @param most entries of a page  @param limit default: all */
export async function entriesOf<Entry>(
  page: (size: number, cursor?: string) => Promise<{ entries: readonly Entry[]; nextCursor: string | null }>,
  most: number,
  limit = Number.POSITIVE_INFINITY,
): Promise<Entry[]> {
  const found: Entry[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null && found.length < limit) {
    const { entries, nextCursor } = await page(Math.min(most, limit - found.length), cursor);
    found.push(...entries);
    cursor = nextCursor;
  }
  return found;
}
