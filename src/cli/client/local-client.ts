import { addAbortSignal, Readable } from 'node:stream';
import type { z } from 'zod';
import type { HandlersOf, Operation } from '../../api/operation.ts';
import { eventOperations } from '../../api/operations/import-operations.ts';
import { serviceOperations } from '../../api/operations/service-operations.ts';
import { askOwner, replyOf } from '../../app/owner-socket.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { Asked } from '../../server/access/noting.ts';
import { type Handled, handled, performGiven } from '../../server/perform.ts';
import { askedHere, currentUser, type Here } from '../audit.ts';
import type { Client } from './operation-client.ts';

/** Does the operations that have a handler in this process, as a server does them. @throws Problem BAD_OPTION */
export function clientOf(all: readonly Handled[], asked: Asked): Client {
  const perform = async (operation: Operation, input: object): Promise<unknown> => {
    for (const { group, handlers } of all) {
      const [name = ''] = Object.entries(group).find(([, one]) => one === operation) ?? [];
      const handler = handlers[name];
      if (handler !== undefined) return performGiven(operation, handler, input, asked);
    }
    // Only an owner does it.
    throw new RollcallError('NO_OWNER', {});
  };
  const download = async (operation: Operation, input: object, signal?: AbortSignal) => {
    const pieces = await perform(operation, input);
    return signal !== undefined && pieces instanceof Readable ? addAbortSignal(signal, pieces) : pieces;
  };
  // Their types are those of their declarations.
  return { call: perform, download } as unknown as Client;
}

/** Does operations of one group in this process. @throws as `clientOf` */
export function handledLocally<Group extends Readonly<Record<string, Operation>>>(
  group: Group,
  handlers: HandlersOf<Group>,
  here: Here,
): Client {
  return clientOf([handled(group, handlers)], askedHere(here));
}

/** The answer of the process that owns a data directory; undefined where there is none. */
function askedOwner(dir: DataDir, operation: Operation & { readonly answer: z.ZodType }, input: object) {
  // An answer may be nothing, too.
  const whole = { ...operation, answer: operation.answer.transform((answer) => ({ answer })) };
  return askOwner(dir, whole, input, currentUser());
}

/** Has the process that owns a data directory do operations. @throws NO_OWNER where there is none any more; as it refuses */
export function ownerClient(dir: DataDir): Client {
  const there = <Answer>(answer: Answer | undefined): Answer => {
    if (answer === undefined) throw new RollcallError('NO_OWNER', {});
    return answer;
  };
  return {
    call: async (operation, input) => there(await askedOwner(dir, operation, input as object)).answer as never,
    download: async (operation, input, signal) =>
      there(await replyOf(dir, operation, input as object, currentUser(), signal)),
  };
}

/** Questions that only the process with the answer can be asked. */
const OF_OWNER: ReadonlySet<Operation> = new Set<Operation>([eventOperations.lists, serviceOperations.regions]);

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
  const owner = ownerClient(dir);
  const call = async (operation: Operation & { readonly answer: z.ZodType }, input: object) => {
    const alone = () =>
      here(operation, input as never, (client) => client.call(operation, input as never) as Promise<unknown>);
    if (OF_OWNER.has(operation)) return owner.call(operation, input as never);
    // Reading needs no owner, and one that only runs an import does not know it.
    if (operation.method === 'GET') return alone();
    const done = await askedOwner(dir, operation, input);
    if (done !== undefined) return done.answer;
    // Only an owner begins work: it has ended since it was found.
    return operation.status === 202 ? owner.call(operation, input as never) : alone();
  };
  const download = (operation: Operation, input: object, signal?: AbortSignal) =>
    OF_OWNER.has(operation) ? owner.download(operation, input as never, signal) : call(operation as never, input);
  return { call, download } as unknown as Client;
}
