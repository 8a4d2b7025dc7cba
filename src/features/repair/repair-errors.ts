import { RollcallError } from '../../errors/rollcall-error.ts';

/** An edit that cannot be kept: no such row or column, or too many edits. */
export class CannotRepair extends RollcallError {
  declare readonly code: 'CANNOT_REPAIR';

  constructor(what: string, remedy: string, facts: Readonly<Record<string, unknown>> = {}) {
    super('CANNOT_REPAIR', what, { remedy, facts });
  }
}
