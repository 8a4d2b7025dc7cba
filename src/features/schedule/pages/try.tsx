/** A schedule tried before it is saved: its plan in numbers. Nothing is sent. */
import { useSignal } from '@preact/signals';
import { WorkButton } from '../../../console/kit/actions.tsx';
import { Badge, ErrorNotice, syncHref } from '../../../console/kit/elements.tsx';
import { addressOf } from '../../../console/requests.ts';
import { SYNC_TONES, syncSentence } from '../../../console/sync-words.ts';
import { useAnswer } from '../../../console/use-answer.ts';
import { PlanLegend } from '../../sync/pages/plan-parts.tsx';

const ASK_EVERY_MS = 700;

/** `onTry` gives the id of the sync that plans. */
export function TryIt({ busy, onTry }: { busy: boolean; onTry: () => Promise<string | undefined> }) {
  const id = useSignal('');
  const { data, error } = useAnswer(id.value === '' ? null : addressOf('GET /v1/syncs/:id', { id: id.value }), {
    everyMs: (view) => (view === undefined || view.state === 'planning' ? ASK_EVERY_MS : undefined),
  });
  const view = data?.id === id.value ? data : undefined;
  const run = async () => {
    id.value = (await onTry()) ?? id.peek();
  };
  return (
    <div class="tried">
      <WorkButton busy={busy} onClick={() => void run()}>
        Try it now
      </WorkButton>
      <p class="note">Reads the file, lists its groups, and shows what a run would do. Nothing is sent.</p>
      <div role="status">
        {error !== undefined ? (
          <ErrorNotice error={error} />
        ) : (
          id.value !== '' &&
          (view === undefined ? (
            'Getting the file …'
          ) : (
            <>
              <p>
                <Badge tone={SYNC_TONES[view.state]}>{view.state}</Badge>{' '}
                {view.state === 'failed' ? view.reason : syncSentence(view)}
              </p>
              {view.guards.length > 0 && (
                <p class="attention">
                  A run would be held. Guards object: {view.guards.map(({ guard }) => guard).join(', ')}.
                </p>
              )}
              {view.totals !== null && <PlanLegend totals={view.totals} />}
              {view.state !== 'planning' && (
                <p>
                  <a href={syncHref(view.id)} target="_blank" rel="noopener">
                    The plan (new tab)
                  </a>
                </p>
              )}
            </>
          ))
        )}
      </div>
    </div>
  );
}
