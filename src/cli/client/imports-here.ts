import type { Coordinator } from '../../imports/life/coordinator.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { followStaging } from '../../server/staging-progress.ts';
import { clientOfDirectory } from './data-directory.ts';
import { type Imports, importsIn } from './import-place.ts';

/** The imports of a data directory, as the process that owns it sees them. */
export function importsHere(
  imports: Imports,
  { coordinator, dir }: { readonly coordinator: Coordinator; readonly dir: DataDir },
): Imports {
  const staging = followStaging(coordinator);
  return importsIn({
    ...imports,
    client: clientOfDirectory(dir, (id) => staging.get(id) ?? null),
    regions: () => coordinator.regions.status(),
    movesOf: (id) => {
      let isOver = false;
      const settled = coordinator.settled(id).then(
        () => {
          isOver = true;
        },
        // The coordinator closes first.
        () => {},
      );
      return {
        isOver: () => isOver,
        onMove: (move) => {
          coordinator.events.on('state', move);
          void settled.then(move);
          return () => coordinator.events.off('state', move);
        },
      };
    },
  });
}
