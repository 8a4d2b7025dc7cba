/** One sync: what is planned, what guards object to, what someone decided, and what came of it. */
import { useEffect, useRef } from 'preact/hooks';
import { useAnswer } from '../../../console/answer.js';
import { ApiError, syncPath } from '../../../console/api.js';
import { Card, Empty, foreign, h, importHref, Tag } from '../../../console/element.js';
import { announce } from '../../../console/frame.js';
import { ErrorNotice } from '../../../console/notice.js';
import { usePlace, useTitle } from '../../../console/place.js';
import { syncSentence, titleOf } from '../../../console/sync-words.js';
import { SyncActions } from './actions.js';
import { SyncDownloads, SyncJournal } from './facts.js';
import { SyncGuards } from './guards.js';
import { SyncHead } from './head.js';
import { SyncPlan } from './plan.js';

/** @import { SyncState, SyncView } from '../../../console/sync-answers.d.ts' */

/** A sync that moves by itself is asked for so often. */
const ASK_EVERY_MS = 1000;

export function SyncPage() {
  const { param: id, isOperator } = usePlace();
  /** @type {import('../../../console/answer.js').Answer<SyncView>} */
  const { data: view, error, set } = useAnswer(syncPath(id), { everyMs: askAgainAfter });
  useAnnounced(view);
  useTitle(view === undefined ? '' : titleOf(view));
  const isHeld = view?.state === 'held';
  const isMissing = error instanceof ApiError && error.problem.status === 404;
  return [
    h('p', { class: 'kicker' }, h('a', { href: '/syncs' }, 'Syncs'), ' / ', foreign(id), view && h(Origin, { view })),
    h('h1', { tabIndex: -1 }, view === undefined ? (isMissing ? 'There is no such sync' : 'Sync') : titleOf(view)),
    h(
      'div',
      { class: 'stack' },
      error !== undefined
        ? [h(ErrorNotice, { error }), h('p', null, h('a', { href: '/syncs' }, 'All syncs'))]
        : view === undefined
          ? h(Empty, {}, 'Loading …')
          : [
              h(
                'section',
                { key: 'state', class: 'card state', 'aria-label': 'State' },
                h(SyncHead, { view }),
                isOperator && h(SyncActions, { view, onDone: set }),
              ),
              view.guards.length > 0 &&
                h(
                  Card,
                  {
                    key: 'findings',
                    id: 'findings',
                    title: `Why this plan ${isHeld ? 'is' : 'was'} held`,
                  },
                  h(SyncGuards, { id, guards: view.guards, isHeld }),
                ),
              view.totals !== null && h(Card, { key: 'plan', id: 'plan', title: 'Plan by group' }, h(SyncPlan, { id })),
              h(
                'div',
                { key: 'last', class: 'pair' },
                view.totals !== null &&
                  h(Card, { id: 'downloads', title: 'Download plan' }, h(SyncDownloads, { view })),
                h(Card, { id: 'journal', title: 'History' }, h(SyncJournal, { moves: view.moves })),
              ),
            ],
    ),
  ];
}

/** @param {SyncView | undefined} view @param {unknown} error */
function askAgainAfter(view, error) {
  const moves = view === undefined ? error === undefined : view.state === 'planning' || view.state === 'applying';
  return moves ? ASK_EVERY_MS : undefined;
}

/** Says aloud when the sync is in another state. @param {SyncView | undefined} view */
function useAnnounced(view) {
  const before = useRef(/** @type {SyncState | undefined} */ (undefined));
  useEffect(() => {
    if (view !== undefined && before.current !== undefined && before.current !== view.state)
      announce(syncSentence(view));
    before.current = view?.state;
  }, [view?.state]);
}

/** What it came from. @param {{ view: SyncView }} properties */
function Origin({ view: { sandbox, undoOf, schedule } }) {
  return [
    sandbox && h(Tag, { key: 'sandbox' }, 'sandbox'),
    undoOf !== null &&
      h('span', { key: 'undo' }, ' Reverses import ', h('a', { href: importHref(undoOf) }, foreign(undoOf))),
    schedule !== null &&
      h(
        'span',
        { key: 'schedule' },
        ' Of schedule ',
        h('a', { href: `/schedules?name=${encodeURIComponent(schedule)}` }, foreign(schedule)),
      ),
  ];
}
