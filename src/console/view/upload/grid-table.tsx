/** The table of a file's first rows, with a choice above each column and what is wrong below each cell. */

import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { mapLookups } from '../../../options/lookups.ts';
import type { Preview, PreviewRow } from '../../answers.ts';
import { foreign } from '../../element.tsx';
import { type Form, optionsOf } from '../../form.tsx';
import { counted } from '../../format.ts';
import { columnLabel, FIELDS } from '../../words.ts';
import { choosable, chosenFor, otherUse, usesOf } from './column-use.ts';
import type { GridRow } from './grid-rows.ts';
import type { ShownFile } from './preview.ts';
import { type Suggestion, Ways } from './suggestions.tsx';

/** A wide table has hundreds of columns that are alike. */
const MAX_COLUMNS = 30;

interface GridTableProperties {
  found: Preview;
  rows: readonly GridRow[];
  preview: ShownFile;
  form: Form;
  suggestions: readonly Suggestion[];
}

export function GridTable({ found, rows, preview, form, suggestions }: GridTableProperties) {
  const isWhole = useSignal(false);
  const values = form.values.value;
  const columns = found.columns
    .map((column, index) => {
      const uses = usesOf(column, preview, values);
      return { column, index, uses, suggested: suggestions.filter((one) => one.column === column) };
    })
    .filter(({ index, uses, suggested }) => isWhole.value || index < MAX_COLUMNS || uses.length + suggested.length > 0);
  /** The column at which each field is chosen, or could be. */
  const placeOf = (field: string) =>
    (
      columns.find(({ uses }) => uses.some((use) => use === field)) ??
      columns.find(({ suggested }) => suggested.some(({ key }) => key === field)) ??
      columns.find(({ uses }) => uses.length === 0) ??
      columns[0]
    )?.index;
  const places = FIELDS.map(([field]) => [field, placeOf(field)] as const);
  useLayoutEffect(() => {
    for (const [field, index] of places) form.register(`map-${field}`, document.getElementById(`use-${index}`));
    return () => {
      for (const [field] of places) form.register(`map-${field}`, null);
    };
  });
  const [next] = found.missing;
  const isRead = found.missing.length === 0;
  return (
    <>
      <div class="grid">
        <table>
          <caption class="unseen">The first rows of the file</caption>
          <thead>
            <tr>
              <th scope="col" class="number">
                Row
              </th>
              {columns.map(({ column }) => (
                <th key={column} scope="col">
                  {foreign(columnLabel(column))}
                </th>
              ))}
              {isRead && (
                <th scope="col" class="read-as">
                  Read as
                </th>
              )}
            </tr>
            <tr class="uses">
              <td />
              {columns.map(({ column, index, uses, suggested }) => (
                <ColumnUse
                  key={column}
                  column={column}
                  index={index}
                  uses={uses}
                  suggested={suggested}
                  preview={preview}
                  form={form}
                  fields={places.flatMap(([field, place]) => (place === index ? [field] : []))}
                  isNext={places.some(([field, place]) => field === next && place === index)}
                />
              ))}
              {isRead && <td class="read-as" />}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row
                key={row.line}
                row={row}
                columns={columns.map(({ column }) => column)}
                isRead={isRead}
                preview={preview}
              />
            ))}
          </tbody>
        </table>
      </div>
      {columns.length < found.columns.length && (
        <p class="note">
          {counted(found.columns.length - columns.length, 'more column')} not shown.{' '}
          <button type="button" class="link" onClick={() => (isWhole.value = true)}>
            Show all columns
          </button>
        </p>
      )}
    </>
  );
}

interface ColumnUseProperties {
  column: string;
  index: number;
  uses: readonly string[];
  suggested: readonly Suggestion[];
  /** The fields whose errors stand in this place. */
  fields: readonly string[];
  /** To be decided first. */
  isNext: boolean;
  preview: ShownFile;
  form: Form;
}

/** Shows the use of a column, and the possible ones. */
function ColumnUse({ column, index, uses, suggested, fields, isNext, preview, form }: ColumnUseProperties) {
  const values = form.values.value;
  const wrong = fields.filter((field) => (form.errors.value[`map-${field}`] ?? '') !== '');
  const own = uses.join(' ');
  const labels = choosable(values);
  const both = labels.filter(([field]) => uses.includes(field)).map(([, label]) => label);
  return (
    <td class={uses.length === 0 ? '' : 'used'}>
      <select
        id={`use-${index}`}
        aria-label={`Use of column “${columnLabel(column)}”`}
        aria-invalid={wrong.length > 0 ? true : undefined}
        aria-describedby={[
          ...wrong.map((field) => `new-map-${field}-error`),
          ...suggested.map(({ key }) => `suggested-${key}`),
        ].join(' ')}
        data-next={isNext ? '' : undefined}
        value={own}
        onChange={({ currentTarget }) => preview.chooseAll(chosenFor(column, currentTarget.value.split(' '), preview))}
      >
        {optionsOf([
          ['', otherUse(column, values) || 'not used'],
          ...labels,
          // A recipe or an option may read several fields from one column.
          ...(uses.length > 1 ? [[own, both.join(', ')] as const] : []),
        ])}
      </select>
      {suggested.map(({ key, text, ways }) => (
        <div key={key} class="suggested">
          <p id={`suggested-${key}`}>{text}</p>
          <Ways ways={ways} preview={preview} />
        </div>
      ))}
    </td>
  );
}

interface RowProperties {
  row: GridRow;
  columns: readonly string[];
  isRead: boolean;
  preview: ShownFile;
}

function Row({ row: { line, original, readAs, reasons, others }, columns, isRead, preview }: RowProperties) {
  const isLeftOut = readAs.every(({ skipped }) => skipped === true);
  const isWrong = !isLeftOut && reasons.size + others.length > 0;
  return (
    <tr class={isLeftOut ? 'left-out' : isWrong ? 'wrong' : ''}>
      <th scope="row" class="number">
        {line}
      </th>
      {columns.map((column) => (
        <td key={column}>
          <div class="cell">{foreign(textOf(original[column]))}</div>
          {reasons.get(column)?.map((reason) => (
            <p key={reason} class={isLeftOut ? 'note' : 'error'}>
              {foreign(reason)}
            </p>
          ))}
        </td>
      ))}
      {isRead && (
        <td class="read-as">
          {readAs.map((one, index) => (
            <div key={index}>
              <ReadAs row={one} preview={preview} />
            </div>
          ))}
          {others.map((reason) => (
            <p key={reason} class={isLeftOut ? 'note' : 'error'}>
              {foreign(reason)}
            </p>
          ))}
        </td>
      )}
    </tr>
  );
}

interface ReadAsProperties {
  row: PreviewRow;
  preview: ShownFile;
}

function ReadAs({ row: { uid, guid, scope, region, problems, skipped }, preview }: ReadAsProperties) {
  if (skipped === true) return <span class="soft">left out</span>;
  if (problems.length > 0) return 'cannot be sent';
  const looked = mapLookups(preview.lookups.value, () => ' (looked up)');
  return (
    <>
      {foreign(uid)}
      {looked.identities} in {foreign(guid)}
      {looked.groups}: {foreign(scope)}, {foreign(region)}
    </>
  );
}

function textOf(value: unknown) {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
