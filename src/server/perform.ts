import type { Audited, HandlersOf, Operation } from '../api/operation.ts';
import type { OwnerRequest } from '../app/owner-socket.ts';
import { RollcallError } from '../errors/rollcall-error.ts';
import { inputRefusal } from '../imports/read/intake-error.ts';
import { type Aimed, aimText } from '../imports/target.ts';
import type { AccessStore, AuditEntry } from './access/access-store.ts';

/** Actions that concern what is sent somewhere: their lines say where. */
const AIMED = /^(import|sync|schedule|export)\./;

/** Adds this process's target to the description of an action. */
function withAim(action: string, detail: string, sendsTo: Aimed | undefined) {
  const to = sendsTo === undefined || !AIMED.test(action) ? '' : aimText(sendsTo);
  return [detail, to && `to=${to}`].filter((part) => part !== '').join(' ');
}

/** The person who asks for an operation, as its line in the audit log names them, and where the lines go. */
export interface Asked extends Pick<AuditEntry, 'who' | 'role' | 'address'> {
  readonly access: Pick<AccessStore, 'note'>;
  readonly sendsTo: Aimed | undefined;
}

export type AnyHandler = (input: never, call: never) => Promise<unknown>;

/**
 * Does an operation by its one handler, and notes it: for requests of the API (serve.ts), of other processes on this machine
 * (`performerOf`), and of a command in its own process (cli/client/local-client.ts).
 * @param input checked: the fields of the path and, beside them, of the body or else of the query
 * @param request for handlers of the server: the request, and its reply
 */
export async function perform(
  operation: Operation,
  handler: AnyHandler,
  input: { readonly params: object; readonly rest: object },
  asked: Asked,
  request: object = {},
) {
  const { audit = '' } = operation;
  const [named = ''] = Object.values(input.params as Readonly<Record<string, string>>);
  let isSaid = audit === '' || named === '';
  const audited: Audited = (detail, target = named, action = audit) => {
    isSaid = true;
    // Read when the line is written: who logs in is known then.
    const { access, sendsTo, ...by } = asked;
    if (detail !== null) access.note({ ...by, action, target, detail: withAim(action, detail, sendsTo) });
  };
  const call = { who: asked.who, audited, ...request };
  try {
    const answer = await handler({ ...input.rest, ...input.params } as never, call as never);
    if (!isSaid) audited('');
    return answer;
  } catch (error) {
    throw inputRefusal(error);
  }
}

/** The same with fields that are not checked yet, those of the path among them. @throws BAD_OPTION */
export async function performGiven(operation: Operation, handler: AnyHandler, fields: object, asked: Asked) {
  const { params: names, query, body } = operation;
  const params = await checked(names, fields);
  const others = Object.fromEntries(Object.entries(fields).filter(([field]) => !(field in params)));
  return perform(operation, handler, { params, rest: await checked(body ?? query, others) }, asked);
}

async function checked(schema: Operation['query'], given: object) {
  if (schema === undefined) return {};
  const read = schema.safeParse(given);
  if (read.success) return read.data as object;
  throw (await import('./problem.ts')).badOption(read.error, given);
}

/** Operations of a group that a process does, with their handlers. */
export type Handled = readonly { readonly operation: Operation; readonly handler: AnyHandler }[];

export function handled<Group extends Readonly<Record<string, Operation>>>(
  group: Group,
  handlers: HandlersOf<Group>,
): Handled {
  const all = Object.entries(handlers as Readonly<Record<string, AnyHandler>>);
  return all.map(([name, handler]) => ({ operation: group[name] as Operation, handler }));
}

/** Does what requests ask for. @throws BAD_OPTION; RollcallError OWNER_REFUSED for an operation that is not among them */
export function performerOf(all: readonly Handled[]) {
  return async ({ method, path, fields }: Omit<OwnerRequest, 'who'>, asked: Asked) => {
    for (const { operation, handler } of all.flat()) {
      const names = operation.method === method ? namesIn(operation.path, path) : undefined;
      if (names !== undefined) return performGiven(operation, handler, { ...fields, ...names }, asked);
    }
    throw new RollcallError('OWNER_REFUSED', {
      what: `the process that uses this data directory runs an import or sync and nothing else (it does not know ${method} ${path}); wait for its end`,
    });
  };
}

/** The names in the path of an operation as a request has them; undefined for a request of another one. */
export function namesIn(pattern: string, path: string) {
  const [expected, found] = [pattern.split('/'), path.split('/')];
  if (expected.length !== found.length) return undefined;
  const names: Record<string, string> = {};
  for (const [at, part] of expected.entries()) {
    const given = decodeURIComponent(found[at] ?? '');
    if (part.startsWith(':') && given !== '') names[part.slice(1)] = given;
    else if (part !== given) return undefined;
  }
  return names;
}
