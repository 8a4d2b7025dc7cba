/** One import, live. */

import { ImportCheck } from '../../features/check/pages/check.js';
import { ImportCreated } from '../../features/undo/pages/created.js';
import { ApiError } from '../api.js';
import { reportCommand } from '../command-line.js';
import { CopyButton } from '../copy.js';
import { Card, Empty, Facts, Fold, foreign, h, importHref, syncHref, Tag } from '../element.js';
import { grouped } from '../format.js';
import { ErrorNotice } from '../notice.js';
import { usePlace, useTitle } from '../place.js';
import { fileName, isDryRun, isOfSync, needAttention, wentWrong } from '../words.js';
import { ImportActions } from './import/actions.js';
import { ImportDownloads } from './import/downloads.js';
import { createdText, factsGist, factsOf } from './import/facts.js';
import { ImportHead } from './import/head.js';
import { ImportJournal } from './import/journal.js';
import { useLiveImport } from './import/live-import.js';
import { ImportPace } from './import/pace.js';
import { ImportProblems } from './import/problems.js';
import { ImportRegions } from './import/regions.js';
import { RowFilter } from './import/row-filter.js';
import { ImportRows } from './import/rows.js';
import { useRowsWanted } from './import/rows-wanted.js';
import { ImportTags } from './import/tags.js';

/** @import { LiveImport } from './import/live-import.js' */

export function ImportPage() {
  const { param: id } = usePlace();
  const live = useLiveImport(id);
  return [h(ImportTitle, { id, live }), h('div', { class: 'stack' }, h(ImportBody, { id, live }))];
}

/** @param {{ id: string, live: LiveImport }} properties */
function ImportTitle({ id, live }) {
  const view = live.view.value;
  const isMissing = live.error.value instanceof ApiError && live.error.value.problem.status === 404;
  useTitle(view === undefined ? '' : fileName(view.file));
  return [
    h(
      'p',
      { class: 'kicker' },
      h('a', { href: '/imports' }, 'Imports'),
      ' / ',
      foreign(id),
      !isMissing && [
        h(CopyButton, { key: 'id', text: id, what: `the id ${id}` }),
        h(CopyButton, {
          key: 'command',
          text: reportCommand(id, location.origin),
          label: 'Copy command',
          what: 'that reports this import',
        }),
      ],
      h(Origin, { live }),
    ),
    h(
      'div',
      { class: 'title' },
      h(
        'h1',
        { tabIndex: -1 },
        view === undefined ? (isMissing ? 'There is no such import' : 'Import') : foreign(fileName(view.file)),
      ),
      h(ImportTags, { live }),
    ),
  ];
}

/** What kind of import it is, and what it came from. @param {{ live: LiveImport }} properties */
function Origin({ live }) {
  const view = live.view.value;
  if (view === undefined) return null;
  return [
    view.sandbox && h(Tag, { key: 'sandbox' }, 'sandbox'),
    isDryRun(view) && h(Tag, { key: 'dry' }, 'dry run'),
    // A sync and the import that carries it out have one id.
    isOfSync(view) && h('span', { key: 'sync' }, ' Carries out ', h('a', { href: syncHref(view.id) }, 'a sync')),
    view.retryOf !== null &&
      h(
        'span',
        { key: 'retry' },
        ' Retries rows of ',
        h('a', { href: importHref(view.retryOf) }, foreign(view.retryOf)),
      ),
  ];
}

/** @param {{ id: string, live: LiveImport }} properties */
function ImportBody({ id, live }) {
  const { isOperator } = usePlace();
  const filter = useRowsWanted();
  if (live.error.value !== undefined) {
    return [h(ErrorNotice, { error: live.error.value }), h('p', null, h('a', { href: '/imports' }, 'All imports'))];
  }
  if (live.state.value === undefined) return h(Empty, {}, 'Loading …');
  const hasRows = live.hasRows.value;
  const isWaiting = live.state.value === 'staged' && hasRows;
  const isUnderWay = hasRows && !live.over.value && (live.view.value?.startedAt ?? null) !== null;
  return [
    hasRows && h(Sections, { key: 'sections', live, isWaiting, isUnderWay }),
    h(
      'div',
      { key: 'state', class: 'card' },
      h(
        'section',
        { class: 'state', 'aria-label': 'State' },
        h(ImportHead, { live }),
        isOperator && h(ImportActions, { live }),
      ),
      h(Folds, { id, live, isUnderWay }),
    ),
    isWaiting &&
      h(
        Card,
        { key: 'check', id: 'check', title: 'Check before sending' },
        h(ImportCheck, { id, live, filter, hasCheck: live.view.value?.hasCheck === true }),
      ),
    isUnderWay &&
      h(
        'div',
        { key: 'work', class: 'pair' },
        h(Card, { id: 'regions', title: 'Regions' }, h(ImportRegions, { live })),
        h(Card, { id: 'pace', title: 'Throughput' }, h(ImportPace, { id, live })),
      ),
    hasRows && h(ImportProblems, { key: 'problems', id, live, filter }),
    hasRows &&
      h(
        Card,
        { key: 'rows', id: 'rows', title: 'Rows' },
        h(RowFilter, { filter }),
        h(ImportRows, { id, live, filter }),
      ),
  ];
}

/** What is looked up now and then. @param {{ id: string, live: LiveImport, isUnderWay: boolean }} properties */
function Folds({ id, live, isUnderWay }) {
  const view = live.view.value;
  const hasRows = live.hasRows.value;
  if (view === undefined) return null;
  const regions = Object.keys(view.regions);
  return h(
    'div',
    null,
    h(Fold, { id: 'facts', title: 'Facts', gist: factsGist(view) }, h(Facts, { list: factsOf(view) })),
    view.created !== undefined &&
      h(
        Fold,
        { key: 'created', id: 'created', title: 'Created users and groups', gist: createdText(view) },
        // Read again after a follow-up, such as its undo.
        h(ImportCreated, { id, key: view.followUps.map(({ state }) => state).join() }),
      ),
    hasRows &&
      h(
        Fold,
        { key: 'downloads', id: 'downloads', title: 'Downloads', gist: 'CSV, XLSX, NDJSON, JSON, HTML' },
        h(ImportDownloads, { live }),
      ),
    hasRows &&
      !isUnderWay &&
      h(
        Fold,
        { key: 'regions', id: 'regions', title: 'Regions', gist: regions.join(', ') },
        h('div', { class: 'pair' }, h(ImportRegions, { live }), h(ImportPace, { id, live })),
      ),
    h(Fold, { key: 'journal', id: 'journal', title: 'History' }, h(ImportJournal, { id, live })),
  );
}

/**
 * A way to each part of the page, which stays in sight.
 * @param {{ live: LiveImport, isWaiting: boolean, isUnderWay: boolean }} properties
 */
function Sections({ live, isWaiting, isUnderWay }) {
  const view = live.view.value;
  if (view === undefined) return null;
  const wrong = live.over.value ? needAttention(view.rows) : wentWrong(view.rows);
  const parts = [
    isWaiting && ['check', 'Check'],
    isUnderWay && ['regions', 'Regions'],
    wrong > 0 && ['problems', `Problems (${grouped(wrong)})`],
    ['rows', `Rows (${grouped(view.rows.read)})`],
    ['downloads', 'Downloads'],
    !isUnderWay && ['regions', 'Regions'],
    ['journal', 'History'],
  ];
  return h(
    'nav',
    { class: 'sections', 'aria-label': 'Parts of this page' },
    h('a', { href: '#state' }, 'State and actions'),
    parts.map((part) => part !== false && h('a', { key: part[0], href: `#${part[0]}` }, part[1])),
  );
}
