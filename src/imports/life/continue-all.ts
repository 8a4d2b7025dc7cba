import { isUnderWay } from '../../membership/import-state.ts';
import type { ImportRecord } from '../catalog.ts';
import { RegionWithoutApp, WrongTarget } from '../import-errors.ts';

/** An interrupted import that this process does not go on with. */
export interface LeftAlone {
  readonly record: ImportRecord;
  readonly why: Error;
}

/** Goes on with those that are under way. Resolves when each has begun, with those that this process cannot go on with. */
export async function continueAll(
  unfinished: readonly ImportRecord[],
  goOn: (record: ImportRecord) => Promise<void>,
  fault: (id: string, error: unknown) => void,
): Promise<LeftAlone[]> {
  const left = unfinished
    .filter(({ state }) => isUnderWay(state))
    .map((record) =>
      goOn(record).then(
        () => [],
        (error: unknown) => {
          if (error instanceof WrongTarget || error instanceof RegionWithoutApp) return [{ record, why: error }];
          fault(record.id, error);
          return [];
        },
      ),
    );
  return (await Promise.all(left)).flat();
}
