import { RollcallError } from '../errors/rollcall-error.ts';
import type { ImportAction } from '../membership/import-actions.ts';
import type { ImportState } from '../membership/import-state.ts';
import type { Region } from '../membership/membership.ts';
import type { ImportRecord } from './catalog.ts';

/** An id that no import has. */
export class UnknownImport extends RollcallError {
  constructor(id: string) {
    super('UNKNOWN_IMPORT', `no import has the id ${JSON.stringify(id)}`, {
      remedy: '`rollcall list` shows those that there are',
      facts: { id },
    });
  }
}

/** Rows of an import go to a region that has no app: nothing is sent before that is mended. */
export class RegionWithoutApp extends RollcallError {
  declare readonly code: 'REGION_WITHOUT_APP';
  readonly regions: readonly Region[];

  constructor(id: string, regions: readonly Region[]) {
    const names = regions.map((region) => region.toUpperCase());
    super(
      'REGION_WITHOUT_APP',
      `rows are for ${regions.length === 1 ? 'region' : 'regions'} ${regions.join(' and ')}, which ${
        regions.length === 1 ? 'has' : 'have'
      } no app: set ${names.map((name) => `ROLLCALL_${name}_APP_ID and ROLLCALL_${name}_API_KEY`).join(', ')}, then \`rollcall resume ${id}\``,
    );
    this.regions = regions;
  }
}

/** Nothing in the input says how users or groups that are created are to be called, or a column for that is not there. */
export class CreateWithoutName extends RollcallError {
  declare readonly code: 'CREATE_WITHOUT_NAME';

  constructor(what: string) {
    super('CREATE_WITHOUT_NAME', what);
  }
}

/** It was asked how much may be created, and nothing may. */
export class CreatesNothing extends RollcallError {
  constructor(id: string) {
    super(
      'CREATES_NOTHING',
      `import ${id} creates nothing, so that --max-create has no meaning for it; import its file again with --create-users or --create-groups`,
    );
  }
}

/** What was meant for the sandbox must not reach the service, nor the reverse. */
export class WrongTarget extends RollcallError {
  declare readonly code: 'WRONG_TARGET';

  constructor(id: string, meantForSandbox: boolean) {
    super(
      'WRONG_TARGET',
      meantForSandbox
        ? `import ${id} was meant for the sandbox, and this process sends to the service; go on with it in one that was started with --sandbox`
        : `import ${id} was not meant for the sandbox, and this process sends to one; go on with it in one that was started without --sandbox`,
    );
  }
}

/** What was asked is not possible with an import as it is. */
export class WrongState extends RollcallError {
  readonly state: ImportState;
  readonly possible: readonly ImportAction[];

  /** @param refused completes "import … is running and …" */
  constructor({ id, state }: Pick<ImportRecord, 'id' | 'state'>, refused: string, possible: readonly ImportAction[]) {
    const now = possible.length === 0 ? 'wait until it is over' : `possible now: ${possible.join(', ')}`;
    super('WRONG_STATE', `import ${id} is ${state} and ${refused}; ${now}`);
    this.state = state;
    this.possible = possible;
  }
}
