/** Where a sync stands: its state in a sentence, its plan in numbers, how it was decided. */
import { useAnswer } from '../../../console/answer.js';
import { importPath } from '../../../console/api.js';
import { Badge, Facts, foreign, h, importHref } from '../../../console/element.js';
import { counted, grouped } from '../../../console/format.js';
import { Legend, swatch } from '../../../console/outcome-bar.js';
import { useListNews } from '../../../console/overview.js';
import {
  ACTION_COLOURS,
  ACTION_LABELS,
  createdWords,
  DISK_FULL,
  mayCreateWords,
  modeWords,
  PLAN_ACTIONS,
  REASONED,
  SYNC_TONES,
  syncSentence,
} from '../../../console/sync-words.js';
import { Time } from '../../../console/time.js';
import { FollowUpList } from '../../../console/view/import/follow-ups.js';
import { CREATE_LIMIT, createLimitSentence, isUndo, stateSentence } from '../../../console/words.js';

/** @import { ImportView, RegionStatus } from '../../../console/answers.d.ts' */
/** @import { PlanTotals, SyncView } from '../../../console/sync-answers.d.ts' */

/** @param {{ view: SyncView }} properties */
export function SyncHead({ view }) {
  const { state, code, reason, approved, importId, totals, planning, left } = view;
  const isBlocked = code === DISK_FULL && state !== 'failed';
  const done = planning === null || planning.groups === 0 ? undefined : planning.done / planning.groups;
  return h(
    'div',
    null,
    h(
      'div',
      { class: 'standing' },
      h(Badge, { tone: isBlocked ? 'attention' : SYNC_TONES[state] }, isBlocked ? 'blocked' : state),
      h('p', { class: 'sentence', id: 'state' }, syncSentence(view)),
    ),
    h('p', { class: 'note' }, (isBlocked || REASONED.includes(state)) && foreign(reason)),
    h(
      'p',
      { class: 'note' },
      approved !== null && ['Approved by ', h('b', null, foreign(approved.by)), ': ', foreign(approved.reason)],
    ),
    h(
      'p',
      { class: 'note' },
      importId !== null && [
        h('a', { href: importHref(importId) }, 'The import that carries it out'),
        ' has the outcome of every change.',
      ],
    ),
    left !== null && h('p', { class: 'notice attention' }, foreign(left.sentence)),
    (state === 'planning' || (state === 'applying' && importId === null)) && h(SilentService, {}),
    h(
      'div',
      { class: 'reading' },
      state === 'planning' && !isBlocked && h('progress', { max: 1, value: done, 'aria-label': 'Creating the plan' }),
    ),
    importId !== null ? h(ItsImport, { id: importId, state, totals }) : totals !== null && h(PlanLegend, { totals }),
    h(Facts, { list: factsOf(view) }),
  );
}

const ASK_EVERY_MS = 2_000;

/** Where the service does not answer what the planning asks. */
function SilentService() {
  /** @type {import('../../../console/answer.js').Answer<{ regions: readonly RegionStatus[] }>} */
  const { data } = useAnswer('/v1/regions', { everyMs: ASK_EVERY_MS });
  const silent = (data?.regions ?? []).filter(
    ({ circuit, waiting, active, delayed }) => circuit.state !== 'closed' && waiting + active + delayed > 0,
  );
  return h(
    'div',
    { role: 'status' },
    silent.length > 0 &&
      h(
        'div',
        { class: 'notice attention' },
        h(
          'p',
          null,
          h('b', null, `The service does not answer in ${silent.map(({ region }) => region).join(' and ')}.`),
          ' The planning waits, and continues by itself when it answers again.',
        ),
      ),
  );
}

/**
 * What came of the changes once they were made, whether they were taken back, and what the import waits for, where it waits
 * for a person.
 * @param {{ id: string, state: SyncView['state'], totals: PlanTotals | null }} properties
 */
function ItsImport({ id, state, totals }) {
  /** @type {import('../../../console/answer.js').Answer<ImportView>} */
  const { data: view, error, reload } = useAnswer(importPath(id));
  const ask = () => void reload();
  useListNews(['imports'], ask, ({ imports }) => imports.some((one) => one.id === id && one.state !== view?.state));
  useListNews(['sync'], ask, isUndo);
  const isOver = state !== 'applying';
  if (view === undefined && error === undefined) return null;
  return [
    view?.state === 'blocked' &&
      h(
        'div',
        { key: 'waits', class: 'notice attention', role: 'alert' },
        h(
          'p',
          null,
          h('b', null, 'Its import waits for you. '),
          view.code === CREATE_LIMIT ? foreign(createLimitSentence(view)) : stateSentence(view),
        ),
        h('a', { class: 'button', href: importHref(id) }, 'Decide in the import'),
      ),
    view !== undefined && h(FollowUpList, { key: 'after', followUps: view.followUps }),
    view !== undefined && isOver && h(Legend, { key: 'done', rows: view.rows, over: true }),
    totals !== null &&
      h(PlanLegend, { key: 'plan', totals, which: view !== undefined && isOver ? NOT_SENT : PLAN_ACTIONS }),
  ];
}

/** Actions of a plan of which its import knows nothing. @type {typeof PLAN_ACTIONS} */
const NOT_SENT = ['report', 'keep'];

/** @param {{ totals: PlanTotals, which?: typeof PLAN_ACTIONS }} properties */
function PlanLegend({ totals: { actions }, which = PLAN_ACTIONS }) {
  return h(
    'ul',
    { class: 'legend' },
    which
      .filter((action) => actions[action] > 0)
      .map((action) =>
        h(
          'li',
          { key: action },
          swatch(ACTION_COLOURS[action]),
          h('b', null, grouped(actions[action])),
          ` ${ACTION_LABELS[action]}`,
        ),
      ),
  );
}

/**
 * @param {SyncView} view
 * @returns {(readonly [string, import('preact').ComponentChildren])[]}
 */
function factsOf(view) {
  const { totals, flags, limits, finishedAt } = view;
  const changed = Object.entries(limits).map(([name, value]) => `${name} ${grouped(value)}`);
  return [
    ['Started', h(Time, { iso: view.createdAt })],
    ['Finished', finishedAt !== null && h(Time, { iso: finishedAt })],
    ['How', modeWords(view)],
    ['Groups', totals !== null && grouped(totals.groups)],
    ['Not listed', totals !== null && totals.unlisted > 0 && counted(totals.unlisted, 'group')],
    ['Members', totals !== null && grouped(totals.members)],
    ['Already correct', totals !== null && grouped(totals.right)],
    ['Scopes may be lowered', flags.allowDemotion && 'yes'],
    ['Uncertain ones are taken back too', flags.includeUncertain === true && 'yes'],
    ['Bans may be lifted', flags.allowUnban && 'yes'],
    ['Protected', flags.protect.length > 0 && counted(flags.protect.length, 'UID')],
    ['UIDs that may be removed', flags.removeByName.length > 0 && foreign(flags.removeByName.join(', '))],
    ['Created first', totals !== null && (createdWords(totals) || null)],
    ['May create', view.create !== null && mayCreateWords(view.create)],
    ['Guard limits', changed.length > 0 && changed.join(', ')],
  ];
}
