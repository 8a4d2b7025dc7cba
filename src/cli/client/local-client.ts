import type { z } from 'zod';
import type { HandlersOf, Operation } from '../../api/operation.ts';
import { askOwner } from '../../app/owner-socket.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { Asked } from '../../server/access/noting.ts';
import { type AnyHandler, type Handled, performGiven } from '../../server/perform.ts';
import { currentUser } from '../current-user.ts';
import type { Client } from './operation-client.ts';

/** Does the operations that have a handler in this process, as a server does them. @throws Problem BAD_OPTION */
export function handledLocally<Group extends Readonly<Record<string, Operation>>>(
  group: Group,
  handlers: HandlersOf<Group>,
  asked: Asked,
): Client {
  const known = new Map(Object.entries(group).map(([name, operation]) => [operation, name] as const));
  const handle = (operation: Operation, input: unknown): Promise<never> => {
    const handler = (handlers as Handled['handlers'])[known.get(operation) ?? ''] as AnyHandler;
    return performGiven(operation, handler, input as object, asked) as Promise<never>;
  };
  return { call: handle, download: handle };
}

/**
 * Does operations about a data directory: the process that owns it, if there is one, does those that change something.
 * @param here does one in this process, with the client that it gives to `perform`
 */
export function ownerElse(
  dir: DataDir,
  here: (
    operation: Operation,
    input: Readonly<Record<string, string>>,
    perform: (client: Client) => Promise<unknown>,
  ) => Promise<unknown>,
): Client {
  const call = async (operation: Operation & { readonly answer: z.ZodType }, input: object) => {
    const alone = () =>
      here(operation, input as never, (client) => client.call(operation, input as never) as Promise<unknown>);
    // Reading needs no owner, and one that only runs an import does not know it.
    if (operation.method === 'GET') return alone();
    // An answer may be nothing, too.
    const whole = { ...operation, answer: operation.answer.transform((answer) => ({ answer })) };
    const done = await askOwner(dir, whole, input, currentUser());
    return done === undefined ? alone() : done.answer;
  };
  return { call, download: call } as unknown as Client;
}
