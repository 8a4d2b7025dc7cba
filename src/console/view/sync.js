/** One sync: what is planned, what guards object to, what somebody decided, and what came of it. */
import { ApiError, request, syncPath } from '../api.js';
import { connection } from '../connection.js';
import { fill, foreign, h, section } from '../element.js';
import { announce } from '../frame.js';
import { errorNotice } from '../notice.js';
import { syncSentence } from '../sync-words.js';
import { fileName } from '../words.js';
import { syncActions } from './sync/actions.js';
import { syncDownloads, syncFindings, syncJournal } from './sync/facts.js';
import { syncHead } from './sync/head.js';
import { syncPlan } from './sync/plan.js';

/** @import { SyncView } from '../sync-answers.d.ts' */
/** @import { Place } from '../place.d.ts' */

/** A sync that moves by itself is asked for so often. */
const ASK_EVERY_MS = 1000;

/** @param {Place} place */
export function syncPage({ param: id, session, signal, setTitle }) {
  const title = h('h1', {}, 'Sync');
  const kicker = h('p', { class: 'kicker' }, h('a', { href: '/syncs' }, 'Syncs'), ' / ', foreign(id));
  const body = h('div', { class: 'stack' }, h('p', { class: 'empty' }, 'Loading …'));
  const head = syncHead();
  const actions = syncActions({ signal, onDone: (view) => update(view) });
  const plan = syncPlan(id, signal);
  const stateCard = h(
    'section',
    { class: 'card state', 'aria-label': 'State' },
    head.element,
    session.role === 'operator' && actions.element,
  );
  const findings = h('ul', { class: 'findings' });
  const findingsCard = section('findings', 'Why this plan is held', findings);
  const planCard = section('plan', 'Plan by group', plan.element);
  const downloadsCard = section('downloads', 'Download plan', syncDownloads(id));
  const journal = h('ol', { class: 'journal' });
  const last = h('div', { class: 'pair' }, downloadsCard, section('journal', 'History', journal));
  /** @type {SyncView | undefined} */
  let shown;
  /** @type {number | undefined} */
  let timer;
  signal.addEventListener('abort', () => clearTimeout(timer));

  /** @param {SyncView} view */
  const update = (view) => {
    const before = shown;
    shown = view;
    if (before === undefined) {
      setTitle(fileName(view.file));
      fill(title, foreign(fileName(view.file)));
      fill(kicker, h('a', { href: '/syncs' }, 'Syncs'), ' / ', foreign(view.id), tagsOf(view));
      body.replaceChildren(stateCard, findingsCard, planCard, last);
    } else if (before.state !== view.state) announce(syncSentence(view));
    head.show(view);
    actions.show(view);
    findingsCard.hidden = view.findings.length === 0;
    fill(findings, syncFindings(view.findings));
    fill(journal, syncJournal(view.moves));
    const hasPlan = view.totals !== null;
    planCard.hidden = !hasPlan;
    downloadsCard.hidden = !hasPlan;
    if (hasPlan && (before === undefined || before.totals === null)) void plan.load();
    clearTimeout(timer);
    if (movesByItself(view) && !signal.aborted) timer = setTimeout(() => void load(), ASK_EVERY_MS);
  };
  const load = async () => {
    try {
      if (document.hidden && shown !== undefined) timer = setTimeout(() => void load(), ASK_EVERY_MS);
      else update(await request(syncPath(id), { signal }));
    } catch (error) {
      if (signal.aborted || (connection.away && shown !== undefined)) return;
      if (error instanceof ApiError && error.problem.status === 404) fill(title, 'There is no such sync');
      fill(body, errorNotice(error), h('p', {}, h('a', { href: '/syncs' }, 'All syncs')));
    }
  };
  connection.addEventListener('back', () => void load(), { signal });
  void load();
  return [kicker, title, body];
}

/** @param {SyncView} view */
function movesByItself({ state }) {
  return state === 'planning' || state === 'applying';
}

/** @param {SyncView} view */
function tagsOf({ sandbox, undoOf, schedule }) {
  return [
    sandbox && h('span', { class: 'tag' }, 'sandbox'),
    undoOf !== null &&
      h('span', {}, ' Reverses import ', h('a', { href: `/imports/${encodeURIComponent(undoOf)}` }, foreign(undoOf))),
    schedule !== null &&
      h(
        'span',
        {},
        ' Of schedule ',
        h('a', { href: `/schedules?name=${encodeURIComponent(schedule)}` }, foreign(schedule)),
      ),
  ];
}
