import { RollcallError } from '../../errors/rollcall-error.ts';

/** An import whose rows are not there yet, or are no longer to be sent. */
export class CannotCheck extends RollcallError {
  constructor(id: string, why: string) {
    super('CANNOT_CHECK', `import ${id} cannot be checked: ${why}`, { facts: { id } });
  }
}

/** The allowed calls are used up; results so far are kept. */
export class CallsUsedUp extends RollcallError {
  constructor(allowed: number) {
    super('CALLS_USED_UP', `${allowed} calls were allowed, and that is not enough`);
  }
}
