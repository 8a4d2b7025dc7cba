import type { FastifyRequest } from 'fastify';
import type { AccessStore } from './access-store.ts';

/**
 * Writes the line of an operation into the audit log. One that never calls it, and has a name in its path, gets a line with that
 * as the target; null: what was done needs none.
 */
export type Audited = (detail: string | null, target?: string, action?: string) => void;

/** The line in the audit log of one request. */
export function auditing(access: AccessStore, action: string | undefined, request: FastifyRequest) {
  const [named] = Object.values((request.params ?? {}) as Readonly<Record<string, string>>);
  let isSaid = action === undefined || named === undefined;
  const audited: Audited = (detail, target = named ?? '', done = action ?? '') => {
    isSaid = true;
    const { who, ip } = request;
    if (detail !== null) access.note({ who: who.name, role: who.role, action: done, target, detail, address: ip });
  };
  return { audited, done: () => (isSaid ? undefined : audited('')) };
}
