/** The people who moved a sync, and its plan as a file. */
import { syncPath } from '../../../console/api.ts';
import { Badge, foreign } from '../../../console/element.tsx';
import { SYNC_TONES } from '../../../console/sync-words.ts';
import { Time } from '../../../console/time.tsx';
import { Download } from '../../../console/view/import/downloads.tsx';
import type { SyncView } from '../api.ts';

export function SyncJournal({ moves }: { moves: SyncView['moves'] }) {
  return (
    <ol class="journal">
      {moves.map(({ at, state, reason, who }, index) => (
        <li key={index}>
          <Time iso={at} seconds />
          <Badge tone={SYNC_TONES[state]}>{state}</Badge>
          <span>
            {foreign(reason)}
            {who !== '' && <> ({foreign(who)})</>}
          </span>
        </li>
      ))}
    </ol>
  );
}

export function SyncDownloads({ view: { id, importId, totals } }: { view: SyncView }) {
  const takes = totals === null ? 0 : totals.actions.remove + totals.actions.ban;
  return (
    <ul class="downloads">
      <Download
        name="Every member, with the action"
        links={['csv', 'json'].map((format) => ({
          text: format.toUpperCase(),
          href: syncPath(id, `/plan?format=${format}`),
        }))}
      />
      {importId !== null && takes > 0 && (
        <Download
          name="Members before the sync"
          note="of the groups it takes something from, as a file that imports read back"
          links={[{ text: 'CSV', href: syncPath(id, '/before') }]}
        />
      )}
    </ul>
  );
}
