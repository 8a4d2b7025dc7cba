import { inputOf } from '../../imports/report/report-paths.ts';
import { capturingPattern } from '../../text/wildcard.ts';
import { counted, grouped } from '../../text/wording.ts';
import {
  MAX_CELL,
  type RepairPaste,
  type RepairReplace,
  type RepairReplaced,
  type RepairUndo,
  type SomeRows,
} from './api.ts';
import { type Action, CannotRepair, checkRows, keep, NOT_SENT, originalsOf, placeOf } from './edit.ts';
import { cellsOf } from './edited-rows.ts';
import type { Judged } from './judge.ts';
import { type CellEdit, countsOf, currentEdits, editsOf, lastAction, rowsToRepair } from './repair-ledger.ts';
import { type OpenRepair, viewsOf } from './show.ts';

/** Rows that one action changes. */
const MAX_ROWS = 100_000;
/** Rows that are read together: a bound on memory. Each time, all rows behind are looked at for the first of them. */
const PAGE = 10_000;
/** Characters of a pattern. */
const MAX_PATTERN = 200;
/** Changes that are shown as examples. */
const MAX_EXAMPLES = 10;

/** A cell that would not be as it is. */
interface Change extends CellEdit {
  readonly line: number;
  readonly from: string;
  readonly to: string;
}

/** Replaces a value, a text or what a pattern matches in a column. @throws CannotRepair */
export async function replace(repair: OpenRepair, request: RepairReplace, by: string): Promise<RepairReplaced> {
  const replaced = replacing(request);
  const changes: Change[] = [];
  for (let after = 0; ; ) {
    const page = rowsBehind(repair, request, after, PAGE);
    changes.push(
      ...changesIn(repair, page, [request.column], (_, [now = '']) => {
        const to = replaced(now);
        // Where nothing matches, a missing cell stays missing.
        return to === now ? [] : [to];
      }),
    );
    after = page.at(-1) ?? 0;
    if (page.length < PAGE) break;
  }
  return carryOut(repair, changes, request, { kind: 'replace', by });
}

/** The new text of a cell. @throws CannotRepair */
function replacing({ as, from, to }: RepairReplace): (now: string) => string {
  if (as === 'cell') return (now) => (now === from ? to : now);
  if (from === '') throw new CannotRepair('there is no text to look for', 'say which text', { field: 'from' });
  if (as === 'text') return (now) => now.replaceAll(from, () => to);
  const wildcards = from.replace(/[^*?]/g, '').length;
  const unknown = [...to.matchAll(/\$(\d)/g)].find(([, n]) => Number(n) < 1 || Number(n) > wildcards)?.[0];
  if (from.length > MAX_PATTERN || unknown !== undefined) {
    throw new CannotRepair(
      unknown === undefined
        ? `the pattern has ${counted(from.length, 'character')}`
        : `the new text has ${unknown}, and the pattern has ${counted(wildcards, 'wildcard')} (* and ?)`,
      unknown === undefined ? `use at most ${MAX_PATTERN}` : '$1 is what the first of them stands for, $2 the second',
      { field: unknown === undefined ? 'from' : 'to' },
    );
  }
  const capture = capturingPattern(from);
  return (now) => {
    const taken = capture(now);
    return taken === undefined ? now : to.replace(/\$(\d)/g, (_, n) => taken[Number(n) - 1] ?? '');
  };
}

/** Enters lines in rows that are shown and, where these end, in those behind them that pass the filter. @throws CannotRepair */
export async function paste(repair: OpenRepair, request: RepairPaste, by: string): Promise<RepairReplaced> {
  const { lines, columns, fill } = request;
  const wanted = fill ? MAX_ROWS + 1 : lines.length;
  const shown = [...new Set(request.rows)].slice(0, wanted);
  const rows = [...shown, ...rowsBehind(repair, request, shown.at(-1) ?? 0, wanted - shown.length)];
  checkRows(repair, rows);
  const lineOf = new Map(rows.map((row, index) => [row, lines[index % lines.length] ?? []]));
  const changes = changesIn(repair, rows, columns, (row) => lineOf.get(row) ?? []);
  const entered = lines.slice(0, rows.length);
  const leftOut = {
    lines: lines.length - entered.length,
    cells: entered.reduce((sum, line) => sum + Math.max(0, line.length - columns.length), 0),
  };
  return carryOut(repair, changes, request, { kind: fill ? 'fill' : 'paste', by, leftOut });
}

/** Takes the last action back, or the last undo. @throws CannotRepair when it is not the last one, or someone else's */
export async function undo(repair: OpenRepair, { action, show }: RepairUndo, by: string): Promise<RepairReplaced> {
  const isRedo = lastAction(repair.ledger, by, 'last_undo')?.id === action;
  if (!isRedo && lastAction(repair.ledger, by)?.id !== action) {
    throw new CannotRepair(
      'this action cannot be undone: it is not the last one, it is not yours, or its rows were sent',
      'look at the rows again, and restore those that you want as they were',
      { field: 'action' },
    );
  }
  const edits = repair.ledger.sql<CellEdit>('before_action').all({ action });
  return entered(repair, edits, show, { kind: isRedo ? 'redo' : 'undo', by, undoes: action });
}

function rowsBehind(
  { ledger, isTaken }: OpenRepair,
  { states, ...filter }: SomeRows,
  after: number,
  limit: number,
): number[] {
  return limit === 0 ? [] : rowsToRepair(ledger, { ...filter, states: states ?? NOT_SENT }, { isTaken, after, limit });
}

/** Cells of these columns that would not be as they are. @param next the texts of a row, of which there may be fewer or more */
function changesIn(
  repair: OpenRepair,
  rows: readonly number[],
  columns: readonly string[],
  next: (row: number, now: readonly string[]) => readonly string[],
): Change[] {
  const description = inputOf(repair.input);
  const targets = columns.map((column) => ({ column, place: placeOf(repair, column) }));
  const kept = editsOf(repair.ledger, rows);
  return originalsOf(repair, rows).flatMap(({ row, ...original }) => {
    const cells = cellsOf(description, original);
    const edits = currentEdits(kept.get(row) ?? []);
    const now = targets.map(({ column, place }) => edits.get(column) ?? cells[place] ?? null);
    const texts = next(
      row,
      now.map((text) => text ?? ''),
    );
    return targets.flatMap(({ column, place }, index): Change[] => {
      const [to, from] = [texts[index], now[index] ?? null];
      // A cell that the row does not have is not an empty one.
      if (to === undefined || to === from) return [];
      return [{ row, column, value: to === cells[place] ? null : to, line: original.line, from: from ?? '', to }];
    });
  });
}

async function carryOut(
  repair: OpenRepair,
  changes: readonly Change[],
  { preview, show }: Pick<RepairPaste, 'preview' | 'show'>,
  { leftOut, ...action }: Action & { readonly leftOut?: RepairReplaced['leftOut'] },
): Promise<RepairReplaced> {
  const rows = new Set(changes.map(({ row }) => row)).size;
  if (rows > MAX_ROWS) {
    throw new CannotRepair(
      `${grouped(rows)} rows would change; one action may change ${grouped(MAX_ROWS)}`,
      'choose fewer rows, or correct the file itself and import it again',
    );
  }
  const long = changes.find(({ to }) => to.length > MAX_CELL);
  if (long !== undefined) {
    throw new CannotRepair(
      `${long.column} in row ${long.line} would have ${counted(long.to.length, 'character')}`,
      `a cell may have ${grouped(MAX_CELL)}`,
    );
  }
  const edits = changes.map(({ row, column, value }) => ({ row, column, value }));
  const done =
    preview || edits.length === 0 ? untouched(repair, rows, edits.length) : await entered(repair, edits, show, action);
  const examples = changes.slice(0, MAX_EXAMPLES).map(({ line, column, from, to }) => ({ line, column, from, to }));
  return { ...done, examples, leftOut: leftOut ?? done.leftOut };
}

async function entered(
  repair: OpenRepair,
  edits: readonly CellEdit[],
  show: readonly number[],
  action: Action,
): Promise<RepairReplaced> {
  const { judged, others } = await keep(repair, edits, action);
  const changed = new Set(edits.map(({ row }) => row));
  const isReady = ({ problems }: Judged) => problems.length === 0;
  const touched = new Set([...changed, ...others.map(({ row }) => row)]);
  return {
    ...untouched(repair, changed.size, edits.length),
    ready: judged.filter(isReady).length,
    shown: viewsOf(
      repair,
      show.filter((row) => touched.has(row)),
    ),
  };
}

function untouched(repair: OpenRepair, rows: number, cells: number): RepairReplaced {
  return {
    rows,
    cells,
    ready: 0,
    leftOut: { lines: 0, cells: 0 },
    examples: [],
    shown: [],
    counts: countsOf(repair),
  };
}
