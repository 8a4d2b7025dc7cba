import type { ImportAction } from '../membership/import-actions.ts';
import type { ImportState } from '../membership/import-state.ts';
import type { Region } from '../membership/membership.ts';
import type { ImportRecord } from './catalog.ts';

/** An id that no import has. */
export class UnknownImport extends Error {
  constructor(id: string) {
    super(`no import has the id ${JSON.stringify(id)}; \`rollcall list\` shows those that there are`);
    this.name = 'UnknownImport';
  }
}

/** Rows of an import go to a region that has no app: nothing is sent before that is mended. */
export class RegionWithoutApp extends Error {
  readonly code = 'REGION_WITHOUT_APP';
  readonly regions: readonly Region[];

  constructor(id: string, regions: readonly Region[]) {
    const names = regions.map((region) => region.toUpperCase());
    super(
      `rows are for ${regions.length === 1 ? 'region' : 'regions'} ${regions.join(' and ')}, which ${
        regions.length === 1 ? 'has' : 'have'
      } no app: set ${names.map((name) => `ROLLCALL_${name}_APP_ID and ROLLCALL_${name}_API_KEY`).join(', ')}, then \`rollcall resume ${id}\``,
    );
    this.name = 'RegionWithoutApp';
    this.regions = regions;
  }
}

/** What was meant for the sandbox must not reach the service, nor the reverse. */
export class WrongTarget extends Error {
  readonly code = 'WRONG_TARGET';

  constructor(id: string, meantForSandbox: boolean) {
    super(
      meantForSandbox
        ? `import ${id} was meant for the sandbox, and this process sends to the service; go on with it in one that was started with --sandbox`
        : `import ${id} was not meant for the sandbox, and this process sends to one; go on with it in one that was started without --sandbox`,
    );
    this.name = 'WrongTarget';
  }
}

/** What was asked is not possible with an import as it is. */
export class WrongState extends Error {
  readonly state: ImportState;
  readonly possible: readonly ImportAction[];

  /** @param refused completes "import … is running and …" */
  constructor({ id, state }: Pick<ImportRecord, 'id' | 'state'>, refused: string, possible: readonly ImportAction[]) {
    const now = possible.length === 0 ? 'wait until it is over' : `possible now: ${possible.join(', ')}`;
    super(`import ${id} is ${state} and ${refused}; ${now}`);
    this.name = 'WrongState';
    this.state = state;
    this.possible = possible;
  }
}
