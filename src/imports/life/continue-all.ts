import { isUnderWay } from '../../membership/import-state.ts';
import type { ImportRecord } from '../catalog.ts';
import { RegionWithoutApp } from '../import-errors.ts';
import { isMachineWait } from '../reason-codes.ts';
import { SERVICE_AWAY } from '../send/give-up.ts';
import { WrongTarget } from '../target.ts';
import type { Life } from './life.ts';

/** An interrupted import that this process does not continue. */
export interface LeftAlone {
  readonly record: ImportRecord;
  readonly why: Error;
}

/** Continues the imports that were interrupted. Resolves when each has begun, with those that this process cannot continue. */
export async function continueAll(
  unfinished: readonly ImportRecord[],
  life: Pick<Life, 'requests' | 'fault'>,
): Promise<LeftAlone[]> {
  const left = unfinished
    .filter(
      ({ state, code }) =>
        isUnderWay(state) ||
        (state === 'blocked' && (code === SERVICE_AWAY || code === 'WRONG_TARGET' || isMachineWait(code))),
    )
    .map((record) =>
      life.requests.takeUp(record.id).then(
        () => [],
        (error: unknown) => {
          if (error instanceof WrongTarget || error instanceof RegionWithoutApp) return [{ record, why: error }];
          life.fault(record.id, 'SENDING_FAILED', error);
          return [];
        },
      ),
    );
  return (await Promise.all(left)).flat();
}
