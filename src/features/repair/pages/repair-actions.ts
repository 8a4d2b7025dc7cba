/** Actions that change many rows at once: the questions before them, and their results. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { confirmed } from '../../../console/dialog.tsx';
import { foreign } from '../../../console/element.tsx';
import { counted, grouped } from '../../../console/format.ts';
import { columnLabel } from '../../../console/words.ts';
import { useWork, type Work } from '../../../console/work.tsx';
import type { RepairReplaced, RepairRow } from '../api.ts';
import type { Cells } from './marked-cells.ts';
import type { RepairRows } from './repair-rows.ts';

export interface RepairActions {
  work: Work;
  /** The change that the last action has made. */
  done: string;
  /** From this row on, into these columns. */
  paste: (lines: readonly (readonly string[])[], row: RepairRow, columns: readonly string[]) => void;
  /** A line in each of these rows, into these columns. */
  enter: (cells: Cells, lines: readonly (readonly string[])[]) => void;
  /** The cell that was last used, into all rows below it. */
  fill: () => void;
  replace: (given: object) => void;
  undo: (what: 'undo' | 'redo') => void;
}

export function useRepairActions(repair: RepairRows): RepairActions {
  const work = useWork();
  const done = useSignal('');
  const turn = useRef(Promise.resolve());
  /** Keys may be pressed faster than the server answers: each has its turn. @param task gives what it has done, or '' */
  const start = (task: () => Promise<string>) => {
    turn.current = turn.current.then(() =>
      work.start(async () => {
        done.value = '';
        done.value = await task();
      }),
    );
  };
  return {
    work,
    done: done.value,
    paste: (lines, row, columns) => start(() => paste(repair, lines, row, columns)),
    enter: ({ rows, columns }, lines) =>
      start(async () => {
        const given = { rows: rows.map(({ row }) => row), columns: columns.map(({ name }) => name), lines };
        return changedSentence(await repair.act('paste', given));
      }),
    fill: () => start(() => fill(repair)),
    replace: (given) => start(async () => changedSentence(await repair.act('replace', given))),
    undo: (what) =>
      start(async () => {
        const undone = await repair.undo(what);
        return undone === undefined
          ? `There is nothing of yours to ${what}.`
          : `${what === 'undo' ? 'Undone' : 'Redone'}: ${counted(undone.cells, 'cell')} in ${counted(undone.rows, 'row')}.`;
      }),
  };
}

async function paste(
  repair: RepairRows,
  lines: readonly (readonly string[])[],
  row: RepairRow,
  columns: readonly string[],
) {
  const given = { rows: rowsFrom(repair, row).slice(0, lines.length), columns, lines };
  const preview = await repair.act('paste', { ...given, preview: true });
  const leftOut = leftOutSentences(preview, lines);
  const entered = lines.length - preview.leftOut.lines;
  const yes =
    leftOut.length === 0 ||
    (await confirmed({
      question: `Enter ${grouped(entered)} of ${counted(lines.length, 'line')}?`,
      explanation: [`There are ${counted(entered, 'row')} from row ${row.line} on. `, leftOut.map(foreign)],
      yes: `Enter ${counted(entered, 'line')}`,
      no: 'Enter nothing',
      tone: 'main',
    }));
  if (!yes) return 'Nothing was entered.';
  const result = await repair.act('paste', given);
  return [changedSentence(result), ...leftOutSentences(result, lines)].join(' ');
}

function leftOutSentences({ leftOut }: RepairReplaced, lines: readonly (readonly string[])[]) {
  const first = lines.at(lines.length - leftOut.lines)?.[0] ?? '';
  const [were, are] = leftOut.lines === 1 ? ['is', 'it'] : ['are', 'them'];
  return [
    leftOut.lines > 0 &&
      `${counted(leftOut.lines, 'line')} ${were} left out, from “${first}” on: there is no row for ${are}.`,
    leftOut.cells > 0 && `${counted(leftOut.cells, 'cell')} to the right of the last column are left out.`,
  ].filter((part) => part !== false);
}

async function fill(repair: RepairRows) {
  const here = repair.here.peek();
  const row = repair.rows.peek()?.find((one) => one.row === here?.row.row);
  if (here === undefined || row === undefined) return 'Choose a cell first: its value goes into the rows below.';
  const { column } = here;
  const place = repair.view.peek()?.columns.findIndex(({ name }) => name === column) ?? -1;
  const value = row.edits[column] ?? row.cells[place] ?? '';
  const given = { rows: rowsFrom(repair, row), columns: [column], lines: [[value]], fill: true };
  const { rows } = await repair.act('paste', { ...given, preview: true });
  if (rows === 0) return `No row below row ${row.line} has another value in ${columnLabel(column)}.`;
  const yes = await confirmed({
    question: `Fill ${columnLabel(column)} down?`,
    explanation: [
      value === '' ? 'Nothing' : ['“', foreign(value), '”'],
      ` is entered in ${columnLabel(column)} of ${counted(rows, 'row')} below row ${row.line}, up to the last one with this problem and state.`,
    ],
    yes: `Fill ${counted(rows, 'row')}`,
    no: 'Leave them',
    tone: 'main',
  });
  return yes ? changedSentence(await repair.act('paste', given)) : '';
}

/** The rows that are shown from this one on. */
function rowsFrom(repair: RepairRows, row: RepairRow) {
  const shown = repair.rows.peek() ?? [];
  return shown.slice(shown.findIndex((one) => one.row === row.row)).map((one) => one.row);
}

function changedSentence({ cells, rows, ready }: RepairReplaced) {
  return cells === 0
    ? 'Nothing was changed.'
    : `${counted(cells, 'cell')} in ${counted(rows, 'row')} ${cells === 1 ? 'was' : 'were'} changed; ${grouped(ready)} of these rows can be sent.`;
}
