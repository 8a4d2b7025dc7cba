/** One sync: what is planned, what guards object to, what someone decided, and what came of it. */
import { useEffect, useRef } from 'preact/hooks';
import { useAnswer } from '../../../console/answer.ts';
import { ApiError, syncPath } from '../../../console/api.ts';
import { Card, Empty, foreign, importHref, Tag } from '../../../console/element.tsx';
import { announce } from '../../../console/frame.tsx';
import { ErrorNotice } from '../../../console/notice.tsx';
import { usePlace, useTitle } from '../../../console/place.ts';
import type { SyncState } from '../../../console/sync-answers.ts';
import { syncSentence, titleOf } from '../../../console/sync-words.ts';
import type { SyncView } from '../api.ts';
import { SyncActions } from './actions.tsx';
import { SyncDownloads, SyncJournal } from './facts.tsx';
import { SyncGuards } from './guards.tsx';
import { SyncHead } from './head.tsx';
import { SyncPlan } from './plan.tsx';

/** A sync that moves by itself is asked for so often. */
const ASK_EVERY_MS = 1000;

export function SyncPage() {
  const { param: id, isOperator } = usePlace();
  const { data: view, error, set } = useAnswer<SyncView>(syncPath(id), { everyMs: askAgainAfter });
  useAnnounced(view);
  useTitle(view === undefined ? '' : titleOf(view));
  const isHeld = view?.state === 'held';
  const isMissing = error instanceof ApiError && error.problem.status === 404;
  return (
    <>
      <p class="kicker">
        <a href="/syncs">Syncs</a> / {foreign(id)}
        {view && <Origin view={view} />}
      </p>
      <h1 tabIndex={-1}>{view === undefined ? (isMissing ? 'There is no such sync' : 'Sync') : titleOf(view)}</h1>
      <div class="stack">
        {error !== undefined ? (
          <>
            <ErrorNotice error={error} />
            <p>
              <a href="/syncs">All syncs</a>
            </p>
          </>
        ) : view === undefined ? (
          <Empty>Loading …</Empty>
        ) : (
          <>
            <section class="card state" aria-label="State">
              <SyncHead view={view} />
              {isOperator && <SyncActions view={view} onDone={set} />}
            </section>
            {view.guards.length > 0 && (
              <Card id="findings" title={`Why this plan ${isHeld ? 'is' : 'was'} held`}>
                <SyncGuards id={id} guards={view.guards} isHeld={isHeld} />
              </Card>
            )}
            {view.totals !== null && (
              <Card id="plan" title="Plan by group">
                <SyncPlan id={id} />
              </Card>
            )}
            <div class="pair">
              {view.totals !== null && (
                <Card id="downloads" title="Download plan">
                  <SyncDownloads view={view} />
                </Card>
              )}
              <Card id="journal" title="History">
                <SyncJournal moves={view.moves} />
              </Card>
            </div>
          </>
        )}
      </div>
    </>
  );
}

function askAgainAfter(view: SyncView | undefined, error: unknown) {
  const moves = view === undefined ? error === undefined : view.state === 'planning' || view.state === 'applying';
  return moves ? ASK_EVERY_MS : undefined;
}

/** Says aloud when the sync is in another state. */
function useAnnounced(view: SyncView | undefined) {
  const before = useRef<SyncState | undefined>(undefined);
  useEffect(() => {
    if (view !== undefined && before.current !== undefined && before.current !== view.state)
      announce(syncSentence(view));
    before.current = view?.state;
  }, [view?.state]);
}

/** Shows the origin of the sync. */
function Origin({ view: { sandbox, undoOf, schedule } }: { view: SyncView }) {
  return (
    <>
      {sandbox && <Tag>sandbox</Tag>}
      {undoOf !== null && (
        <span>
          {' '}
          Reverses import <a href={importHref(undoOf)}>{foreign(undoOf)}</a>
        </span>
      )}
      {schedule !== null && (
        <span>
          {' '}
          Of schedule <a href={`/schedules?name=${encodeURIComponent(schedule)}`}>{foreign(schedule)}</a>
        </span>
      )}
    </>
  );
}
