/** The first rows of a file, each once, with what is wrong with its cells and what it is read as. Pure. */

/** @import { Preview, PreviewRow } from '../../answers.d.ts' */

/**
 * @typedef {object} GridRow
 * @property {number} line
 * @property {Readonly<Record<string, unknown>>} original
 * @property {readonly PreviewRow[]} readAs a row may give several memberships
 * @property {ReadonlyMap<string, readonly string[]>} reasons column → what is wrong with its cell, or leaves the row out
 * @property {readonly string[]} others what is wrong and has no cell
 */

/**
 * @param {Preview} found
 * @param {object} options
 * @param {number} options.most rows
 * @param {string} options.keyColumn its values are looked up: they need not be UIDs; '' for none
 * @returns {GridRow[]}
 */
export function gridRows({ rows, columns, missing }, { most, keyColumn }) {
  const byLine = Map.groupBy(rows, ({ line }) => line);
  // Before anything is chosen, all that would be said is that.
  const isChosen = !(missing.includes('uid') && missing.includes('guid'));
  return [...byLine].slice(0, most).map(([line, all]) => {
    const readAs = all.map((row) => ({ ...row, problems: row.problems.filter(isSaid) }));
    const problems = readAs.flatMap((row) => row.problems);
    const byColumn = Map.groupBy(problems, ({ column }) => (columns.includes(column) ? column : undefined));
    const reasons = new Map(
      [...byColumn].flatMap(([column, some]) => (column === undefined ? [] : [[column, once(some)]])),
    );
    return { line, original: all[0]?.original ?? {}, readAs, reasons, others: once(byColumn.get(undefined) ?? []) };
  });

  /** A column that is not chosen yet is missed once, and not in each row. @param {PreviewRow['problems'][number]} problem */
  function isSaid({ column }) {
    return isChosen && !missing.includes(column) && (keyColumn === '' || column !== keyColumn);
  }
}

/** @param {readonly { reason: string }[]} problems */
function once(problems) {
  return [...new Set(problems.map(({ reason }) => reason))];
}
