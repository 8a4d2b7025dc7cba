/**
 * Things that a person may continue and no one waits for: checked files, paused imports, plans made to be looked at.
 */
import type { Overview } from '../../answers.ts';
import { Card } from '../../element.tsx';
import { ImportItem, SyncItem } from './needs.tsx';

export function Ready({ ready: { imports, syncs } }: { ready: Overview['ready'] }) {
  return (
    <Card id="ready" title="Ready when you are">
      <ul class="plain inbox">
        {imports.map((view) => (
          <ImportItem key={view.id} view={view} />
        ))}
        {syncs.map((sync) => (
          <SyncItem key={sync.id} sync={sync} />
        ))}
      </ul>
      <p class="note">
        All <a href="/imports?state=paused,staged">checked files and paused imports</a>, all{' '}
        <a href="/syncs?state=planned,held">plans</a>.
      </p>
    </Card>
  );
}
