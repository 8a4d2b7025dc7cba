/** Rows of an import that are invalid or failed: corrected in the browser, then sent as an import of their own. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useAnswer } from '../../../console/answer.js';
import { importPath } from '../../../console/api.js';
import { confirmed } from '../../../console/dialog.js';
import { Empty, foreign, h, importHref } from '../../../console/element.js';
import { FilterChoice } from '../../../console/form.js';
import { counted, grouped } from '../../../console/format.js';
import { ErrorNotice, ErrorPlace } from '../../../console/notice.js';
import { usePlace, useTitle } from '../../../console/place.js';
import { columnLabel, fileName } from '../../../console/words.js';
import { useWork, WorkButton } from '../../../console/work.js';
import { RepairGrid } from './grid.js';
import { useRepairActions } from './repair-actions.js';
import { useRepairRows } from './repair-rows.js';
import { RepairTools } from './repair-tools.js';

/** @import { ImportView } from '../../../console/answers.d.ts' */
/** @import { RepairView } from '../api.ts' */
/** @import { RepairRows } from './repair-rows.js' */

/** @type {import('../../../console/form.js').Choice[]} */
const STATES = [
  ['', 'not sent'],
  ['open', 'not edited'],
  ['wrong', 'edited and still wrong'],
  ['ready', 'ready to send'],
  ['sent', 'sent'],
];

export function RepairPage() {
  const { param: id } = usePlace();
  const repair = useRepairRows();
  /** @type {import('../../../console/answer.js').Answer<ImportView>} */
  const { data } = useAnswer(importPath(id));
  useTitle(data === undefined ? '' : `Repair ${fileName(data.file)}`);
  const view = repair.view.value;
  const error = repair.error.value;
  return [
    h(
      'p',
      { key: 'kicker', class: 'kicker' },
      h('a', { href: '/imports' }, 'Imports'),
      ' / ',
      h('a', { href: importHref(id) }, foreign(data === undefined ? id : fileName(data.file))),
    ),
    h('h1', { key: 'title', tabIndex: -1 }, 'Repair rows'),
    h(
      'div',
      { key: 'body', class: 'stack' },
      error !== undefined
        ? h(ErrorNotice, { error })
        : view === undefined
          ? h(Empty, {}, 'Loading …')
          : h(Repair, { repair, view }),
    ),
  ];
}

/** @param {{ repair: RepairRows, view: RepairView }} properties */
function Repair({ repair, view }) {
  const { isOperator } = usePlace();
  const actions = useRepairActions(repair);
  if (view.rows.total === 0) {
    return h('section', { class: 'card' }, h(Empty, {}, 'Nothing is left to repair: no row is invalid or has failed.'));
  }
  const { state = '' } = repair.wanted.value;
  return [
    h('section', { key: 'state', class: 'repair-head', 'aria-label': 'State' }, h(RepairHead, { repair, view })),
    h(
      'section',
      { key: 'rows', class: 'card', 'aria-label': 'Rows' },
      h(
        'div',
        { class: 'filter repair-bar' },
        h(ProblemChoice, { repair, view }),
        h(FilterChoice, {
          id: 'repair-state',
          label: 'Show rows that are',
          value: state,
          choices: STATES,
          onChoose: (value) => repair.choose({ state: value }),
        }),
        isOperator && state !== 'sent' && h(RepairTools, { repair, view, actions }),
      ),
      h(RepairGrid, { repair, view, actions }),
      h(
        'p',
        { class: 'note' },
        'Each change is saved and checked when you leave the cell. Lines that you copied from a spreadsheet can be pasted, also more than are shown.',
      ),
    ),
  ];
}

/** How far it is, and the way on. @param {{ repair: RepairRows, view: RepairView }} properties */
function RepairHead({ repair, view }) {
  const { isOperator } = usePlace();
  const work = useWork();
  const made = useSignal('');
  const sent = useRef(/** @type {HTMLParagraphElement | null} */ (null));
  const { total, ready, wrong, sent: gone } = view.rows;
  const open = Math.max(0, total - gone - ready - wrong);
  useEffect(() => sent.current?.focus(), [made.value]);
  const send = async () => {
    await repair.flush();
    await repair.overview();
    const by = (repair.view.peek() ?? view).problems.filter((problem) => problem.ready > 0);
    const yes = await confirmed({
      question: `Send ${counted(ready, 'repaired row')}?`,
      explanation: [
        `They become an import of their own, with the values that you entered${by.length === 0 ? '' : ` (${by.map(({ code, ready: n }) => `${grouped(n)} of ${code}`).join(', ')})`}. `,
        `This import and its report stay as they are. ${open + wrong === 0 ? '' : `${counted(open + wrong, 'row')} can be repaired and sent later.`}`,
      ],
      yes: `Send ${counted(ready, 'row')}`,
      no: 'Keep editing',
      tone: 'main',
    });
    if (!yes) return;
    await work.start(async () => {
      const { id } = await repair.send();
      made.value = id;
    });
  };
  return [
    h(
      'p',
      { key: 'counts', class: 'sentence', role: 'status' },
      `${counted(total, 'row')} to repair: ${grouped(ready)} ready to send, ${grouped(wrong)} edited and still wrong, ${grouped(open)} not edited, ${grouped(gone)} sent.`,
    ),
    h(Saving, { key: 'saving', repair }),
    view.failedTaken &&
      h('p', { key: 'taken', class: 'note' }, 'Rows that failed were retried as they were: repair them in the retry.'),
    !view.maySend &&
      h(
        'p',
        { key: 'wait', class: 'note' },
        'What you enter is kept. Repaired rows can be sent when this import has finished.',
      ),
    made.value !== '' &&
      h(
        'p',
        { key: 'made', class: 'repaired', tabIndex: -1, ref: sent },
        'The repaired rows were sent: ',
        h('a', { href: importHref(made.value) }, 'see the import of repaired rows'),
        '.',
      ),
    made.value === '' &&
      view.sends.length > 0 &&
      h(
        'ul',
        { key: 'sends', class: 'plain' },
        view.sends.map(({ importId, rows, by }) =>
          h(
            'li',
            { key: importId },
            `${counted(rows, 'row')} sent by ${by} in `,
            h('a', { href: importHref(importId) }, foreign(importId)),
          ),
        ),
      ),
    isOperator &&
      view.maySend &&
      ready > 0 &&
      h(
        'div',
        { key: 'buttons', class: 'buttons' },
        h(
          WorkButton,
          { busy: work.busy, kind: 'main', onClick: () => void send() },
          `Send ${counted(ready, 'repaired row')}…`,
        ),
      ),
    h(ErrorPlace, { key: 'error', error: work.error }),
  ];
}

/** One problem at a time, or all. @param {{ repair: RepairRows, view: RepairView }} properties */
function ProblemChoice({ repair, view }) {
  const { status = '', code = '', problemColumn = '' } = repair.wanted.value;
  const all = new Map(view.problems.map((problem) => [keyOf(problem), problem]));
  return h(FilterChoice, {
    id: 'repair-problem',
    label: 'Problem',
    value: keyOf({ status, code, column: problemColumn }),
    choices: [['', 'all'], ...[...all].map(([key, problem]) => /** @type {const} */ ([key, problemText(problem)]))],
    onChoose: (key) => {
      const chosen = all.get(key);
      repair.choose({ status: chosen?.status ?? '', code: chosen?.code ?? '', problemColumn: chosen?.column ?? '' });
    },
  });
}

/** @param {{ status: string, code: string, column: string }} problem */
function keyOf({ status, code, column }) {
  return [status, code, column].filter((part) => part !== '').join(' ');
}

/** @param {RepairView['problems'][number]} problem */
function problemText({ code, column, total, ready, wrong, sent }) {
  const counts = [
    counted(total, 'row'),
    ready > 0 && `${grouped(ready)} ready`,
    wrong > 0 && `${grouped(wrong)} still wrong`,
    sent > 0 && `${grouped(sent)} sent`,
  ];
  return `${code}${column === '' ? '' : ` in ${columnLabel(column)}`}: ${counts.filter((part) => part !== false).join(', ')}`;
}

/** Whether what was entered is safe. @param {{ repair: RepairRows }} properties */
function Saving({ repair }) {
  const state = repair.saving.value;
  return [
    h(
      'p',
      { key: 'state', class: 'saving', role: 'status' },
      state === 'saving' ? 'Saving …' : state === 'saved' ? 'All changes are saved' : 'Not saved',
    ),
    h(ErrorPlace, { key: 'error', error: repair.failure.value }),
    state === 'failed' &&
      h(
        'div',
        { key: 'buttons', class: 'buttons' },
        h('button', { type: 'button', onClick: () => void repair.flush() }, 'Save again'),
        h('button', { type: 'button', class: 'quiet', onClick: () => void repair.discard() }, 'Discard these changes'),
      ),
  ];
}
