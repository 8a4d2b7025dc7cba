import type { Audited } from '../../api/operation.ts';
import { type Aimed, aimText } from '../../imports/target.ts';
import type { AccessStore, AuditEntry } from './access-store.ts';

/** Actions that concern what is sent somewhere: their lines say where. */
const AIMED = /^(import|sync|schedule|export)\./;

/** Adds this process's target to the description of an action. */
function withAim(action: string, detail: string, sendsTo: Aimed | undefined): string {
  const to = sendsTo === undefined || !AIMED.test(action) ? '' : aimText(sendsTo);
  return [detail, ...(to === '' ? [] : [`to=${to}`])].filter((part) => part !== '').join(' ');
}

/** The person who asks for an operation, as its line in the audit log names them, and where the lines go. */
export interface Asked extends Pick<AuditEntry, 'who' | 'role' | 'address'> {
  readonly access: Pick<AccessStore, 'note'>;
  /** The target of this process. */
  readonly sendsTo: Aimed | undefined;
}

/** The line of one operation in the audit log. @param asked read when the line is written: who logs in is known then  @param named the first name in its path */
export function auditing(asked: Asked, action: string | undefined, named: string | undefined) {
  let isSaid = action === undefined || named === undefined;
  const audited: Audited = (detail, target = named ?? '', done = action ?? '') => {
    isSaid = true;
    const { access, sendsTo, ...by } = asked;
    if (detail !== null) access.note({ ...by, action: done, target, detail: withAim(done, detail, sendsTo) });
  };
  return { audited, done: () => (isSaid ? undefined : audited('')) };
}
