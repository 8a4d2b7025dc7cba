/** One import, live. */
import { ApiError, importPath, request } from '../api.js';
import { fill, foreign, h, perFrame, section } from '../element.js';
import { announce } from '../frame.js';
import { follow } from '../live.js';
import { errorNotice } from '../notice.js';
import { fileName, needAttention, stateSentence } from '../words.js';
import { importActions } from './import/actions.js';
import { importDownloads } from './import/downloads.js';
import { importHead } from './import/head.js';
import { importJournal } from './import/journal.js';
import { importPace } from './import/pace.js';
import { importProblems } from './import/problems.js';
import { importRegions } from './import/regions.js';
import { importRows } from './import/rows.js';
import { importUndo } from './import/undo.js';

/** @import { ImportEvents, ImportView, Progress } from '../answers.d.ts' */
/** @import { Place } from '../place.d.ts' */

/** While an import runs, problems are grouped anew no more often: that is work for the server. */
const PROBLEMS_EVERY_MS = 5000;

/** @param {Place} place */
export function importPage({ param: id, query, session, signal, setTitle, go }) {
  const title = h('h1', {}, 'Import');
  const kicker = h('p', { class: 'kicker' }, h('a', { href: '/' }, 'Imports'), ' / ', foreign(id));
  const body = h('div', { class: 'stack' }, h('p', { class: 'empty' }, 'Loading …'));
  const actions = importActions({ signal, go, onDone: () => void load() });
  const head = importHead();
  const regions = importRegions();
  const pace = importPace(id, signal);
  const rows = importRows({ id, query, signal });
  const downloads = importDownloads();
  const journal = importJournal(id, signal);
  const undo = importUndo({ signal, go });
  const undoCard = section('undo', 'Undo', undo.element);
  const problems = importProblems({
    id,
    signal,
    onChoose: ({ status, code }) => {
      void rows.filterFor({ status, code });
      rowsCard.scrollIntoView();
      rowsCard.querySelector('select')?.focus({ preventScroll: true });
    },
  });
  const rowsCard = section('rows', 'Rows', rows.element);
  const stateCard = h(
    'section',
    { class: 'card state', 'aria-label': 'State' },
    head.element,
    session.role === 'operator' && actions.element,
  );
  const regionsCard = section('regions', 'Regions', regions.element);
  const paceCard = section('pace', 'Throughput', pace.element);
  const downloadsCard = section('downloads', 'Downloads', downloads.element);
  const work = h('div', { class: 'pair' }, regionsCard, paceCard);
  const problemsCard = section('problems', 'Problems', problems.element);
  const outcome = h('div', { class: 'pair' }, downloadsCard, section('journal', 'History', journal.element));

  /** @type {ImportView | undefined} */
  let shown;
  /** @type {Progress | undefined} */
  let progress;
  /** Moves that events have told. */
  let moves = 0;
  let problemsAt = 0;
  let problemsOf = -1;

  /** What is asked for besides the import itself. One that has no rows yet says so; that is no error. */
  const quietly = (/** @type {Promise<unknown>} */ asked) =>
    asked.catch((error) => {
      if (!signal.aborted && !(error instanceof ApiError)) throw error;
    });
  const loadProblems = async (/** @type {ImportView} */ view) => {
    problemsAt = performance.now();
    problemsOf = needAttention(view.rows);
    const found = await problems.load();
    rows.offerCodes([...new Set(found.map(({ code }) => code).filter((code) => code !== ''))]);
  };
  const render = perFrame((/** @type {ImportView} */ view) => {
    head.show(view, progress);
    actions.show(view);
    downloads.show(view);
    undoCard.hidden = !undo.show(view) || session.role !== 'operator';
    regions.show(view, progress);
    paceCard.hidden = view.startedAt === null;
  });
  /** Asks anew for what events do not bring: it costs the server something. @param {ImportView} view */
  const refresh = (view) => {
    void quietly(journal.load());
    const hasRows = view.state !== 'staging' && view.rows.read > 0;
    for (const card of [work, problemsCard, downloadsCard, rowsCard]) card.hidden = !hasRows;
    if (!hasRows) return;
    void quietly(rows.refresh(view.finishedAt !== null));
    void quietly(loadProblems(view));
    void quietly(pace.load());
  };
  /** Shows the import as it is now. @param {ImportView} view */
  const update = (view) => {
    const before = shown;
    shown = view;
    if (before === undefined) {
      setTitle(fileName(view.file));
      fill(title, foreign(fileName(view.file)));
      fill(kicker, h('a', { href: '/' }, 'Imports'), ' / ', foreign(view.id), tagsOf(view));
      body.replaceChildren(stateCard, work, problemsCard, outcome, rowsCard, undoCard);
    }
    render(view);
    if (before?.state === view.state) return;
    if (before !== undefined) announce(stateSentence(view));
    refresh(view);
  };
  /** Whether there is an import to follow. */
  const load = async () => {
    const known = moves;
    try {
      /** @type {ImportView} */
      const view = await request(importPath(id), { signal });
      // An event that came in the meantime may be newer than the answer; if it is older, the next one follows.
      if (known === moves) update(view);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      const isAway = error instanceof ApiError && error.code === 'AWAY';
      if (isAway && shown !== undefined) return true;
      if (error instanceof ApiError && error.problem.status === 404) fill(title, 'There is no such import');
      fill(body, errorNotice(error), h('p', {}, h('a', { href: '/' }, 'All imports')));
      return isAway;
    }
  };
  /** @param {Progress} event */
  const advance = (event) => {
    progress = event;
    if (shown === undefined || shown.finishedAt !== null) return;
    pace.add(event);
    update({ ...shown, ...countsOf(event), staging: event.staging });
    const isDue = performance.now() - problemsAt > PROBLEMS_EVERY_MS && needAttention(event.rows) !== problemsOf;
    if (isDue && shown.state !== 'staging') void quietly(loadProblems(shown));
  };
  /** @param {ImportView} view */
  const move = (view) => {
    moves += 1;
    update(view);
  };
  const onReturn = async () => {
    if ((await load()) && shown !== undefined) refresh(shown);
  };
  void load().then((found) => {
    /** @type {{ [K in keyof ImportEvents]: (data: ImportEvents[K]) => void }} */
    const handlers = { state: move, progress: advance };
    if (found) follow(importPath(id, '/events'), handlers, { signal, onReturn: () => void onReturn() });
  });
  return [kicker, title, body];
}

/** The part of an import that an event brings up to date. @param {Progress} progress */
function countsOf({ rows, regions }) {
  const all = Object.values(regions);
  return {
    rows,
    regions,
    calls: all.reduce((sum, region) => sum + region.calls, 0),
    retries: all.reduce((sum, region) => sum + region.retries, 0),
  };
}

/** @param {ImportView} view */
function tagsOf(view) {
  return [
    view.sandbox && h('span', { class: 'tag' }, 'sandbox'),
    view.dryRun && h('span', { class: 'tag' }, 'dry run'),
    // A sync and the import that carries it out have one id.
    /^(sync|undo)-/.test(view.id) &&
      h('span', {}, ' Carries out ', h('a', { href: `/syncs/${encodeURIComponent(view.id)}` }, 'a sync')),
    view.retryOf !== null &&
      h(
        'span',
        {},
        ' Retries rows of ',
        h('a', { href: `/imports/${encodeURIComponent(view.retryOf)}` }, foreign(view.retryOf)),
      ),
  ];
}
