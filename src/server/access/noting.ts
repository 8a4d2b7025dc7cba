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

/** Options of a request in one line, without those that are not given. */
export function inShort(options: object): string {
  return Object.entries(options)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}
