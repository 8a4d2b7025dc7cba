/** Problems by code: how many rows, examples, what to do. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAnswer, useRenewal } from '../../answer.js';
import { importPath, query } from '../../api.js';
import { Card, foreign, h, importHref, repairHref } from '../../element.js';
import { counted, grouped } from '../../format.js';
import { ErrorNotice } from '../../notice.js';
import { withControls } from '../../option-words.js';
import { OutcomeMark } from '../../outcome-bar.js';
import { dataTable } from '../../table.js';
import { ATTENTION, inPlace, messageWords, settled } from '../../words.js';

/** @import { ProblemView } from '../../answers.d.ts' */
/** @import { LiveImport } from './live-import.js' */
/** @import { RowsWanted } from './rows-wanted.js' */

/** While an import runs, problems are grouped again no more often: that is work for the server. */
const EVERY_MS = 5000;
/** Further ones are shown when they are asked for: the rows stay in sight. */
const MAX_SHOWN = 6;

/** @param {{ id: string, live: LiveImport, filter: RowsWanted }} properties */
export function ImportProblems({ id, live, filter }) {
  /** @type {import('../../answer.js').Answer<{ problems: ProblemView[] }>} */
  const { data, error, reload } = useAnswer(importPath(id, '/problems'));
  const { rows } = live.view.value ?? {};
  useRenewal(rows === undefined ? 0 : settled(rows) - inPlace(rows), () => void reload(), EVERY_MS);
  const turns = live.turns.value;
  useEffect(() => void reload(), [turns]);
  useEffect(() => {
    filter.codes.value = [...new Set((data?.problems ?? []).map(({ code }) => code).filter((code) => code !== ''))];
  }, [data]);
  const showsAll = useSignal(false);
  if (error !== undefined) return h(ErrorNotice, { error });
  if (data === undefined || data.problems.length === 0) return null;
  // What counts in another row, or was left out on purpose, is no one's work.
  const all = data.problems.toSorted((a, b) => Number(isCalm(a)) - Number(isCalm(b)));
  const items = showsAll.value ? all : all.slice(0, MAX_SHOWN);
  return h(
    Card,
    { id: 'problems', title: 'Problems' },
    dataTable({
      caption: 'Problems by code and column',
      keyOf: ({ status, code, column }) => `${status} ${code} ${column ?? ''}`,
      items,
      columns: columnsFor(id, filter),
    }),
    items.length < all.length &&
      h(
        'div',
        { class: 'buttons' },
        h(
          'button',
          {
            type: 'button',
            onClick: () => {
              showsAll.value = true;
            },
          },
          `Show all ${grouped(all.length)} problems`,
        ),
      ),
  );
}

/** @param {ProblemView} problem */
function isCalm({ status }) {
  return !ATTENTION.includes(status);
}

/** @param {string} id @param {RowsWanted} filter @returns {import('../../table.js').Column<ProblemView>[]} */
function columnsFor(id, filter) {
  return [
    { label: 'Rows', kind: 'number', cell: ({ count }) => grouped(count) },
    {
      label: 'Problem',
      kind: 'main',
      cell: ({ status, code, column, ...found }) => [
        h(OutcomeMark, { outcome: status }),
        code !== '' && h('code', null, code),
        column !== undefined && [' in ', foreign(column)],
        h('p', { class: 'note' }, examplesOf(found.examples)),
        found.examples[0]?.rows !== undefined && h('p', { class: 'note' }, shapesOf(found)),
      ],
    },
    {
      label: 'What to do',
      kind: 'wide',
      cell: ({ status, code, column: problemColumn, advice }) => [
        withControls(advice),
        (status === 'invalid' || status === 'failed') && [
          ' ',
          h(
            'a',
            { href: `${repairHref(id)}${query({ status, code, problemColumn })}`, 'aria-label': `Repair ${code}` },
            'Repair',
          ),
          ' them here.',
        ],
      ],
    },
    {
      label: 'Rows',
      cell: ({ status, code, column: problemColumn, count }) => [
        h(
          'a',
          {
            href: `${importHref(id)}${query({ status, code, problemColumn })}#rows`,
            onClick: (event) => {
              event.preventDefault();
              filter.chooseAlone({ status, code, ...(problemColumn !== undefined && { problemColumn }) });
            },
          },
          `Show ${counted(count, 'row')}`,
        ),
      ],
    },
  ];
}

/** What is said of the first one is much the same of the others. @param {ProblemView['examples']} examples */
function examplesOf([first, ...further]) {
  const message = first?.message ?? '';
  const others = further.filter(({ rows }) => rows === undefined);
  const rows = others.flatMap(({ line, value }, at) => [
    at === 0 ? ' Also row ' : ', row ',
    `${grouped(line)}, `,
    h('code', { key: at }, foreign(value)),
  ]);
  return [
    `Row ${grouped(first?.line ?? 0)}`,
    first?.value !== '' && [', ', h('code', { key: 'value' }, foreign(first?.value ?? ''))],
    message !== '' && [': ', foreign(messageWords(message))],
    others.length > 0 && ['.', ...rows, '.'],
  ];
}

/** "40 like this, 3 like li na (row 44), 2 others" @param {Pick<ProblemView, 'examples' | 'examined' | 'count'>} problem */
function shapesOf({ examples, examined, count }) {
  const others = examples.reduce((left, { rows = 0 }) => left - rows, examined ?? count);
  return [
    examined !== undefined && `Of the first ${grouped(examined)}: `,
    ...examples.map(({ line, value, rows = 0 }, at) => [
      `${at === 0 ? '' : ', '}${grouped(rows)} `,
      value === '' ? 'empty' : 'like ',
      value !== '' && (at === 0 ? 'this' : h('code', { key: at }, foreign(value))),
      at > 0 && ` (row ${grouped(line)})`,
    ]),
    others > 0 && `, ${grouped(others)} ${others === 1 ? 'other' : 'others'}`,
  ];
}
