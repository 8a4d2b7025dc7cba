/** A schedule tried before it is saved: its plan in numbers. Nothing is sent. */
import { useSignal } from '@preact/signals';
import { useAnswer } from '../../../console/answer.js';
import { syncPath } from '../../../console/api.js';
import { Badge, h, syncHref } from '../../../console/element.js';
import { ErrorNotice } from '../../../console/notice.js';
import { ACTION_LABELS, PLAN_ACTIONS, SYNC_TONES, syncSentence } from '../../../console/sync-words.js';
import { WorkButton } from '../../../console/work.js';

/** @import { SyncView } from '../../../console/sync-answers.d.ts' */

const ASK_EVERY_MS = 700;

/** @param {{ busy: boolean, onTry: () => Promise<string | undefined> }} properties `onTry` gives the id of the sync that plans */
export function TryIt({ busy, onTry }) {
  const id = useSignal('');
  /** @type {import('../../../console/answer.js').Answer<SyncView>} */
  const { data, error } = useAnswer(id.value === '' ? null : syncPath(id.value), {
    everyMs: (view) => (view === undefined || view.state === 'planning' ? ASK_EVERY_MS : undefined),
  });
  const view = data?.id === id.value ? data : undefined;
  const run = async () => {
    id.value = (await onTry()) ?? id.peek();
  };
  return h(
    'div',
    { class: 'tried' },
    h(WorkButton, { busy, onClick: () => void run() }, 'Try it now'),
    h('p', { class: 'note' }, 'Reads the file, lists its groups, and shows what a run would do. Nothing is sent.'),
    h(
      'div',
      { role: 'status' },
      error !== undefined
        ? h(ErrorNotice, { error })
        : id.value !== '' &&
            (view === undefined
              ? 'Getting the file …'
              : [
                  h(
                    'p',
                    { key: 'state' },
                    h(Badge, { tone: SYNC_TONES[view.state] }, view.state),
                    ' ',
                    view.state === 'failed' ? view.reason : syncSentence(view),
                  ),
                  view.totals !== null && h(Numbers, { key: 'numbers', totals: view.totals }),
                  view.state !== 'planning' &&
                    h(
                      'p',
                      { key: 'link' },
                      h('a', { href: syncHref(view.id), target: '_blank' }, 'The plan (new tab)'),
                    ),
                ]),
    ),
  );
}

/** @param {{ totals: NonNullable<SyncView['totals']> }} properties */
function Numbers({ totals: { actions } }) {
  return h(
    'ul',
    { class: 'legend' },
    PLAN_ACTIONS.filter((action) => actions[action] > 0).map((action) =>
      h('li', { key: action }, h('b', null, actions[action].toLocaleString('en-US')), ` ${ACTION_LABELS[action]}`),
    ),
  );
}
