import type { HandlersOf, Operation } from '../../api/operation.ts';
import type { Asked } from '../../server/access/noting.ts';
import { type AnyHandler, type Handled, performGiven } from '../../server/perform.ts';
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
