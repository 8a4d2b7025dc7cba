/** Imports and syncs under way, with how far they are and when they will be over. */
import type { Overview, RunningImport } from '../../answers.ts';
import { connection } from '../../connection.ts';
import { Badge, Card, foreign, importHref, syncHref } from '../../element.tsx';
import { counted, estimate, grouped, timeOfDay } from '../../format.ts';
import { OutcomeBar } from '../../outcome-bar.tsx';
import { SYNC_TONES } from '../../sync-words.ts';
import { fileName, settled, stateLabel, stateTone } from '../../words.ts';

export function Running({ overview: { running, queued, syncsUnderWay } }: { overview: Overview }) {
  return (
    <Card id="running" title="Running">
      <ul class="plain under-way">
        {running.map((view) => (
          <li key={view.id}>
            <RunningItem view={view} />
          </li>
        ))}
        {syncsUnderWay.map(({ id, file, state }) => (
          <li key={id}>
            <p>
              <a href={syncHref(id)}>{foreign(fileName(file))}</a> <Badge tone={SYNC_TONES[state]}>{state}</Badge>
            </p>
          </li>
        ))}
      </ul>
      {queued > 0 && (
        <p class="soft">
          <a href="/imports?state=staging">{counted(queued, 'import')}</a> {queued === 1 ? 'waits' : 'wait'} for other
          files to be read first.
        </p>
      )}
    </Card>
  );
}

function RunningItem({ view }: { view: RunningImport }) {
  const { id, file, rows, staging, etaSeconds, stoppedRegions, unansweredRegions } = view;
  const asOf = connection.asOf.value;
  const done = settled(rows);
  const share = rows.read === 0 ? 0 : Math.floor((done / rows.read) * 100);
  return (
    <>
      <p>
        <a href={importHref(id)}>{foreign(fileName(file))}</a> <Badge tone={stateTone(view)}>{stateLabel(view)}</Badge>
        {stoppedRegions.length > 0 && (
          <>
            {' '}
            <Badge tone="attention">{stoppedRegions.join(', ')} stopped</Badge>
          </>
        )}
        {unansweredRegions.length > 0 && (
          <>
            {' '}
            <Badge tone="attention">no answer in {unansweredRegions.join(', ')}</Badge>
          </>
        )}
      </p>
      {staging !== null ? (
        <p class="soft">{counted(staging.rows, 'row')} read</p>
      ) : (
        rows.read > 0 && <OutcomeBar name={`Rows of ${fileName(file)} by outcome`} rows={rows} />
      )}
      {rows.read > 0 && (
        <p class="soft">
          {share} %: {grouped(done)} of {counted(rows.read, 'row')}
          {asOf !== null ? `, as of ${timeOfDay(asOf)}` : etaSeconds !== null && `, ${estimate(etaSeconds)}`}
        </p>
      )}
    </>
  );
}
