import type { FastifyRequest } from 'fastify';
import { type Aimed, aimText } from '../../imports/target.ts';
import type { AccessStore } from './access-store.ts';

/**
 * Writes the line of an operation into the audit log. One that never calls it, and has a name in its path, gets a line with that
 * as the target; null: what was done needs none.
 */
export type Audited = (detail: string | null, target?: string, action?: string) => void;

/** Actions that concern what is sent somewhere: their lines say where. */
const AIMED = /^(import|sync|schedule|export)\./;

/** Adds this process's target to the description of an action. */
export function withAim(action: string, detail: string, sendsTo: Aimed | undefined): string {
  const to = sendsTo === undefined || !AIMED.test(action) ? '' : aimText(sendsTo);
  return [detail, ...(to === '' ? [] : [`to=${to}`])].filter((part) => part !== '').join(' ');
}

/** The line in the audit log of one request. */
export function auditing(
  access: AccessStore,
  sendsTo: Aimed | undefined,
  action: string | undefined,
  request: FastifyRequest,
) {
  const [named] = Object.values((request.params ?? {}) as Readonly<Record<string, string>>);
  let isSaid = action === undefined || named === undefined;
  const audited: Audited = (detail, target = named ?? '', done = action ?? '') => {
    isSaid = true;
    const { who, ip } = request;
    if (detail === null) return;
    const whole = withAim(done, detail, sendsTo);
    access.note({ who: who.name, role: who.role, action: done, target, detail: whole, address: ip });
  };
  return { audited, done: () => (isSaid ? undefined : audited('')) };
}
