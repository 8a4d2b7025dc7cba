import { RollcallError } from '../../errors/rollcall-error.ts';
import { counted, grouped } from '../../text/wording.ts';
import { MAX_CELL, type RepairReplace, type RepairReplaced } from './api.ts';
import { type CellEdit, editablePlace, keep } from './edit.ts';
import { cellsOf } from './edited-rows.ts';
import { countsOf, editsOf, originalsOf, rowsToRepair } from './repair-ledger.ts';
import type { OpenRepair } from './show.ts';

/** Rows that one replacement changes. */
const MAX_ROWS = 100_000;
/** Rows that are read together: a bound on memory. Each time, all rows behind are looked at for the first of them. */
const PAGE = 10_000;
/** Changes that are shown as examples. */
const MAX_EXAMPLES = 10;

/** A cell that would have another text. */
interface Change extends CellEdit {
  readonly line: number;
  readonly from: string;
  readonly to: string;
}

/** Replaces a value, or a text in values, in a column. @throws CannotRepair */
export async function replace(repair: OpenRepair, request: RepairReplace, by: string): Promise<RepairReplaced> {
  const changes = changesIn(repair, request);
  if (changes.length > MAX_ROWS) {
    throw new RollcallError('CANNOT_REPAIR', {
      what: `${grouped(changes.length)} rows would change; one replacement may change ${grouped(MAX_ROWS)}`,
      remedy: 'choose fewer rows, or correct the file itself and import it again',
    });
  }
  const long = changes.find(({ to }) => to.length > MAX_CELL);
  if (long !== undefined) {
    throw new RollcallError('CANNOT_REPAIR', {
      what: `${long.column} in row ${long.line} would have ${counted(long.to.length, 'character')}`,
      remedy: `a cell may have ${grouped(MAX_CELL)}`,
    });
  }
  const { judged } = await keep(repair, request.preview ? [] : changes, by);
  return {
    rows: changes.length,
    ready: judged.filter(({ problems }) => problems.length === 0).length,
    examples: changes.slice(0, MAX_EXAMPLES).map(({ line, from, to }) => ({ line, from, to })),
    counts: countsOf(repair.ledger, repair.isTaken),
  };
}

function changesIn(repair: OpenRepair, { states, preview: _, ...request }: RepairReplace): Change[] {
  const { ledger, input, isTaken } = repair;
  const { column } = request;
  const replaced = replacing(request);
  const place = editablePlace(repair, column);
  const changes: Change[] = [];
  for (let after = 0; ; ) {
    const page = rowsToRepair(ledger, { ...request, states }, { isTaken, after, limit: PAGE });
    const edits = editsOf(ledger, page);
    for (const { row, ...original } of originalsOf(ledger, page)) {
      const inFile = cellsOf(input, original)[place] ?? null;
      const from = edits.get(row)?.get(column) ?? inFile ?? '';
      const to = replaced(from);
      // Where nothing matches, a missing cell stays missing.
      if (to === from) continue;
      changes.push({ row, column, value: to === inFile ? null : to, line: original.line, from, to });
    }
    after = page.at(-1) ?? 0;
    if (page.length < PAGE) return changes;
  }
}

/** The new text of a cell. @throws CannotRepair */
function replacing({ as, from, to }: Pick<RepairReplace, 'as' | 'from' | 'to'>): (now: string) => string {
  if (as === 'cell') return (now) => (now === from ? to : now);
  if (from === '')
    throw new RollcallError('BAD_OPTION', {
      field: 'from',
      what: 'there is no text to look for',
      remedy: 'say which text',
    });
  return (now) => now.replaceAll(from, () => to);
}
