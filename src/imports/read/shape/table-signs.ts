import type { Shape } from '../../../options/shape.ts';
import { sameName } from '../../../text/same-text.ts';
import { type ColumnMapping, fieldByAlias } from '../columns.ts';
import type { TableSigns } from '../workbook/choose-sheet.ts';
import { namedColumns, tableTop } from './shaping.ts';

/** Returns the signs of a table in a sheet: the columns that the settings name, or the row of the names. */
export function signsOfTable({
  map,
  shape = {},
}: {
  readonly map: ColumnMapping;
  readonly shape?: Shape | undefined;
}): TableSigns {
  const { skip, names } = tableTop(shape);
  const named = new Set(namedColumns(shape, map).map(sameName));
  named.delete('');
  return {
    skip,
    isTopGiven: (shape.headerRow ?? shape.skipLines ?? names) !== undefined,
    isColumn: (text) => names !== undefined || named.has(sameName(text)) || fieldByAlias(text) !== undefined,
    areAll: (cells) => {
      if (named.size > 0) return named.isSubsetOf(new Set(cells.map(sameName)));
      const fields = new Set(cells.map(fieldByAlias));
      return fields.has('uid') && fields.has('guid');
    },
  };
}
