import { option, type Words, words } from '../errors/named-options.ts';
import { RollcallError } from '../errors/rollcall-error.ts';
import type { ImportAction } from '../membership/import-actions.ts';
import type { ImportState } from '../membership/import-state.ts';
import type { Region } from '../membership/membership.ts';
import { withoutAddress } from '../text/address-text.ts';
import { counted, grouped } from '../text/wording.ts';

/** An id that no import has. */
export class UnknownImport extends RollcallError {
  constructor(given: string) {
    const id = withoutAddress(given);
    super('UNKNOWN_IMPORT', `no import has the id ${JSON.stringify(id)}`, {
      remedy: '`rollcall list` shows those that there are',
      facts: { id },
    });
  }
}

/** Rows of an import go to a region that has no app: nothing is sent before it has one. */
export class RegionWithoutApp extends RollcallError {
  declare readonly code: 'REGION_WITHOUT_APP';
  readonly regions: readonly Region[];

  constructor(id: string, regions: readonly Region[]) {
    super('REGION_WITHOUT_APP', `rows are for ${withoutApp(regions)}`, {
      remedy: `${appSettings(regions)}, then resume the import`,
      facts: { id, regions },
    });
    this.regions = regions;
  }
}

/** `region us, which has no app` */
export function withoutApp(regions: readonly Region[]): string {
  const [noun, verb] = regions.length === 1 ? ['region', 'has'] : ['regions', 'have'];
  return `${noun} ${regions.join(' and ')}, which ${verb} no app`;
}

/** `set ROLLCALL_US_APP_ID and ROLLCALL_US_API_KEY` */
export function appSettings(regions: readonly Region[]): string {
  const names = regions.map((region) => region.toUpperCase());
  return `set ${names.map((name) => `ROLLCALL_${name}_APP_ID and ROLLCALL_${name}_API_KEY`).join(', ')}`;
}

/** The input has no names for users or groups that it would create, or a mapped column is missing. */
export class CreateWithoutName extends RollcallError {
  declare readonly code: 'CREATE_WITHOUT_NAME';

  constructor(what: string, remedy: Words) {
    super('CREATE_WITHOUT_NAME', what, { remedy });
  }
}

/** A file of changes removes or bans more members than it may: nothing is sent before a person has confirmed the number. */
export class TooManyRemovals extends RollcallError {
  declare readonly code: 'TOO_MANY_REMOVALS';
  readonly removals: number;

  constructor(id: string, removals: number, allowed: number) {
    super('TOO_MANY_REMOVALS', `${counted(removals, 'row')} remove or ban members, and ${grouped(allowed)} may`, {
      remedy: words`look at its report; if it is right, resume it with ${option('maxRemovals', String(removals))}`,
      facts: { id, removals, allowed },
    });
    this.removals = removals;
  }
}

/** A limit on creating was set for an import that creates nothing. */
export class CreatesNothing extends RollcallError {
  constructor(id: string) {
    super('CREATES_NOTHING', `import ${id} creates nothing, so there is no limit to raise`, {
      remedy: words`import its file again with ${option('createUsers')} or ${option('createGroups')}`,
      facts: { id },
    });
  }
}

/** The request is not possible in the import's state. */
export class WrongState extends RollcallError {
  readonly state: ImportState;
  readonly possible: readonly ImportAction[];

  /** @param refused completes "import … is running and …" */
  constructor(
    { id, state }: { readonly id: string; readonly state: ImportState },
    refused: string,
    possible: readonly ImportAction[],
  ) {
    // Deleting it is no way to what was asked for.
    const ways = possible.filter((action) => action !== 'delete');
    const instead = ways.length === 0 ? undefined : `possible now: ${ways.join(', ')}`;
    super('WRONG_STATE', `import ${id} is ${state} and ${refused}`, {
      remedy: possible.length === 0 ? 'wait until it has finished' : instead,
      facts: { id, state, possible },
    });
    this.state = state;
    this.possible = possible;
  }
}

/** No row is left to send again: none needs it, or those that do were sent already. */
export class NothingToSend extends WrongState {}
