import type { FastifyRequest } from 'fastify';
import type { AccessStore } from './access-store.ts';

/** Writes into the audit log what the sender of a request has done. */
export type Noting = (
  request: Pick<FastifyRequest, 'who' | 'ip'>,
  action: string,
  target: string,
  detail?: string,
) => void;

export function noting(access: Pick<AccessStore, 'note'>): Noting {
  return ({ who, ip }, action, target, detail = '') =>
    access.note({ who: who.name, role: who.role, action, target, detail, address: ip });
}
