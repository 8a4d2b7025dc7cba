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

/** It is not known which rows of an import would fail. */
export class NoCheckYet extends RollcallError {
  /** @param why completes "import … " @param remedy what to do, in a few words */
  constructor(id: string, why: string, remedy: string) {
    super('NO_CHECK_YET', `import ${id} ${why}, so it is not known which rows would fail; nothing was sent`, {
      remedy: `${remedy}: \`rollcall check ${id}\``,
      facts: { id },
    });
  }
}
