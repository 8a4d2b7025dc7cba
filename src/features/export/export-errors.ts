import { RollcallError } from '../../errors/rollcall-error.ts';

/** There is no export with this id. */
export class UnknownExport extends RollcallError {
  constructor(id: string) {
    super('UNKNOWN_EXPORT', `no export has the id ${JSON.stringify(id)}`, {
      remedy: 'an export that was completed is removed once its files are written; begin a new one',
      facts: { id },
    });
  }
}
