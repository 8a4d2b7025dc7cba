/** The first rows of a file: above each column a choice of its use, below each cell what is wrong with it. */

import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { isWorkbook, nameOfInput } from '../../../options/input-kinds.ts';
import { LOOKUP_NAMES, LOOKUPS, mapLookups } from '../../../options/lookups.ts';
import { counted } from '../../../text/wording.ts';
import type { Preview, PreviewRow, Values } from '../../answers.ts';
import { columnLabel, FIELDS, LOOKUP_WORDS } from '../../import-words.ts';
import { announce } from '../../kit/actions.tsx';
import { ErrorPlace, FileNotes, foreign } from '../../kit/elements.tsx';
import { focusField, optionsOf } from '../../kit/form.tsx';
import { isNarrow } from '../../place.ts';
import {
  choosable,
  type GridColumn,
  type GridRow,
  gridColumns,
  gridRows,
  MISSING,
  otherUse,
  placeOf,
} from './columns-rules.ts';
import type { FileForm } from './file-form.ts';
import { SheetChoice } from './reading-fields.tsx';
import { ScopeWords, Suggestions } from './suggestions.tsx';

/** Enough to see whether the columns are right, few enough to keep the button in sight. */
const ROWS_SHOWN = 6;
const ROWS_ON_PHONE = 3;
/** A wide table has hundreds of columns that are alike. */
const MAX_COLUMNS = 30;
const DELIMITER_NAMES: Values = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'pipe' };

export function SeenFile({ form }: { form: FileForm }) {
  return (
    <>
      <SheetChoice form={form} />
      <Suggestions form={form} />
      <ScopeWords form={form} />
      {form.isShown ? <FileGrid form={form} /> : <ErrorPlace error={form.unread.value} />}
    </>
  );
}

function FileGrid({ form }: { form: FileForm }) {
  const found = form.found.value;
  const lines = form.facts.value?.firstLines ?? [];
  const lookups = LOOKUP_NAMES.filter((name) => form.lookups.value[name] !== undefined);
  const most = isNarrow() ? ROWS_ON_PHONE : ROWS_SHOWN;
  const keyColumns = lookups.map((name) => form.columnOf(LOOKUPS[name].field));
  const rows = found === undefined ? [] : gridRows(found, most, keyColumns);
  return (
    <div class="col">
      <div class="row baseline">
        <h3 id="first-rows" tabIndex={-1} ref={useLanding(form)}>
          The first rows
        </h3>
        <p class="note" role="status">
          {stateOf(form, rows.length)}
        </p>
      </div>
      {lookups.map((name) => (
        <p key={name} class="note">
          {LOOKUP_WORDS[name].ids} are looked up in {foreign(form.lookups.value[name]?.name ?? '')} when the file is
          read.
        </p>
      ))}
      <ErrorPlace error={form.unread.value} />
      <FileNotes notes={found?.notes ?? []} />
      {found !== undefined && found.columns.length > 0 ? (
        <Grid found={found} rows={rows} form={form} />
      ) : (
        lines.length > 0 && (
          <pre class="grid" tabIndex={0} role="region" aria-labelledby="first-rows">
            {foreign(lines.join('\n'))}
          </pre>
        )
      )}
      <Fields form={form} />
    </div>
  );
}

function stateOf({ isTooLarge, isReading, facts, unread, found }: FileForm, rows: number) {
  if (isTooLarge.value) {
    return 'This workbook or archive is too large for a preview (4 MB). Its columns can be recognised by name only: check the file before you start.';
  }
  if (found.value === undefined) {
    if (isReading.value) return 'Reading …';
    // Else it is said beside a field, or below.
    return facts.value === undefined || unread.value !== undefined ? '' : 'The file cannot be read with these options.';
  }
  const { kind, encoding, delimiter } = found.value;
  const isText = !isWorkbook(kind);
  const by = !isText || delimiter === null ? '' : `, delimiter ${DELIMITER_NAMES[delimiter] ?? delimiter}`;
  const name = isText ? `${nameOfInput(kind)}, ${encoding}` : nameOfInput(kind);
  const first = rows === 1 ? 'The first row as it is' : `The first ${counted(rows, 'row')} as they are`;
  return `${name}${by}. ${first}. Choose above each column what it is.`;
}

/**
 * Takes the focus where a control is gone that started something, and passes it on when the file is read: to what is to be
 * decided next, or to the button that starts.
 */
function useLanding({ landing, found }: FileForm) {
  const heading = useRef<HTMLHeadingElement | null>(null);
  const done = landing.value;
  useLayoutEffect(() => {
    if (done !== '') heading.current?.focus();
  }, [done]);
  useEffect(() => {
    if (done === '' || found.value === undefined) return;
    landing.value = '';
    const { missing } = found.value;
    const left = missing.length === 0 ? 'Nothing is missing.' : missing.map((field) => MISSING[field]).join(' ');
    announce(`${done} ${left}`, 'columns');
    // A person who has moved on stays there; a page that was just opened has its title focused.
    if (document.activeElement !== heading.current && document.activeElement?.tagName !== 'H1') return;
    const [next] = missing;
    const wanted = next ? `[data-fields~="map-${next}"]` : '.suggestions button, .words button, #start';
    const place = document.querySelector(wanted);
    if (place instanceof HTMLElement) place.focus();
  }, [found.value]);
  return heading;
}

/** The fields that are read from several columns or parts of one, and those without a column, or with one that the server refused. */
function Fields({ form }: { form: FileForm }) {
  const missing = form.found.value?.missing ?? [];
  return (
    <div class="missing col">
      {FIELDS.map(([field, label]) => {
        const source = form.sourceOf(field);
        const error = form.errors.value[`map-${field}`] ?? '';
        const isMissing = missing.includes(field);
        if (error === '' && !isMissing)
          return (
            source !== '' &&
            form.columnOf(field) === '' && (
              <p key={field} class="note">
                {label} is read from <code>{foreign(source)}</code>.
              </p>
            )
          );
        return (
          <p key={field} id={`new-map-${field}-error`} class={error === '' ? '' : 'error'}>
            {error || MISSING[field]}
            {field === 'guid' && isMissing && (
              <>
                {' '}
                <button type="button" class="small-button" onClick={() => focusField('guid')}>
                  Enter one group for all rows…
                </button>
              </>
            )}
          </p>
        );
      })}
    </div>
  );
}

function Grid({ found, rows, form }: { found: Preview; rows: readonly GridRow[]; form: FileForm }) {
  const isWhole = useSignal(false);
  const all = gridColumns(form, found.columns);
  const columns = all.filter(({ index, uses }) => isWhole.value || index < MAX_COLUMNS || uses.length > 0);
  const places = FIELDS.map(([field]) => [field, placeOf(field, columns)] as const);
  const scopes = form.columnOf('scope');
  const strange = rows
    .filter(({ reasonsAt }) => reasonsAt(scopes).length > 0)
    .map(({ original }) => cellText(original[scopes]));
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
              {columns.map(({ column, key }) => (
                <th key={key} scope="col">
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
              {columns.map((one) => (
                <ColumnUse
                  key={one.key}
                  one={one}
                  fields={places.flatMap(([field, place]) => (place === one.index ? [field] : []))}
                  strange={one.column === scopes ? [...new Set(strange)] : []}
                  form={form}
                />
              ))}
              {isRead && <td class="read-as" />}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.line} row={row} columns={columns} isRead={isRead} scopes={scopes} form={form} />
            ))}
          </tbody>
        </table>
      </div>
      {columns.length < all.length && (
        <p class="note">
          {counted(all.length - columns.length, 'more column')} not shown.{' '}
          <button type="button" class="link" onClick={() => (isWhole.value = true)}>
            Show all columns
          </button>
        </p>
      )}
    </>
  );
}

interface ColumnUseProperties {
  one: GridColumn;
  /** The fields whose errors stand in this place. */
  fields: readonly string[];
  /** Words that are no scopes. */
  strange: readonly string[];
  form: FileForm;
}

function ColumnUse({ one: { column, uses, isNamed }, fields, strange, form }: ColumnUseProperties) {
  const wrong = fields.filter((field) => (form.errors.value[`map-${field}`] ?? '') !== '');
  const own = uses.join(' ');
  const labels = choosable(form.shape.value);
  const both = labels.filter(([field]) => uses.includes(field)).map(([, label]) => label);
  const choose = (chosen: readonly string[]) =>
    form.choose({
      ...Object.fromEntries(uses.map((field) => [field, ''])),
      ...Object.fromEntries(chosen.filter((field) => field !== '').map((field) => [field, column])),
    });
  return (
    <td class={uses.length === 0 ? '' : 'used'}>
      <select
        aria-label={`Use of column “${columnLabel(column)}”`}
        aria-invalid={wrong.length > 0 ? true : undefined}
        aria-describedby={[
          ...wrong.map((field) => `new-map-${field}-error`),
          ...(strange.length > 0 ? ['strange'] : []),
        ].join(' ')}
        data-fields={fields.map((field) => `map-${field}`).join(' ')}
        value={own}
        disabled={!isNamed}
        onChange={({ currentTarget }) => choose(currentTarget.value.split(' '))}
      >
        {optionsOf([
          ['', otherUse(column, form.shape.value) || 'not used'],
          ...labels,
          // A recipe or an option may read several fields from one column.
          ...(uses.length > 1 ? [[own, both.join(', ')] as const] : []),
        ])}
      </select>
      {strange.length > 0 && (
        <p id="strange" class="error">
          Not a scope: {foreign(strange.map((word) => `“${word}”`).join(', '))}
        </p>
      )}
    </td>
  );
}

interface RowProperties {
  row: GridRow;
  columns: readonly GridColumn[];
  isRead: boolean;
  /** The column of scopes: what is wrong with its words is said once, above it. */
  scopes: string;
  form: FileForm;
}

function Row({ row: { line, original, readAs, isWrong, reasonsAt }, columns, isRead, scopes, form }: RowProperties) {
  const isLeftOut = readAs.every(({ skipped }) => skipped === true);
  const said = (column?: string) =>
    reasonsAt(column).map((reason) => (
      <p key={reason} class={isLeftOut ? 'note' : 'error'}>
        {foreign(reason)}
      </p>
    ));
  return (
    <tr class={isLeftOut ? 'left-out' : isWrong ? 'wrong' : ''}>
      <th scope="row" class="number">
        {line}
      </th>
      {columns.map(({ column, key }) => (
        <td key={key}>
          <div class={column === scopes && reasonsAt(column).length > 0 ? 'cell error' : 'cell'}>
            {foreign(cellText(original[key]))}
          </div>
          {column !== scopes && said(column)}
        </td>
      ))}
      {isRead && (
        <td class="read-as">
          {readAs.map((one, index) => (
            <div key={index}>
              <ReadAs row={one} form={form} />
            </div>
          ))}
          {said()}
        </td>
      )}
    </tr>
  );
}

function ReadAs({ row, form }: { row: PreviewRow; form: FileForm }) {
  const { uid, guid, scope, region, problems, skipped } = row;
  if (skipped === true) return <span class="soft">left out</span>;
  if (problems.length > 0) return 'cannot be sent';
  const looked = mapLookups(form.lookups.value, () => ' (looked up)');
  return (
    <>
      {foreign(uid)}
      {looked.identities} in {foreign(guid)}
      {looked.groups}: {foreign(scope)}, {foreign(region)}
    </>
  );
}

function cellText(value: unknown) {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
