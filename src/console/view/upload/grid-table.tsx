/** The table of a file's first rows, with a choice above each column and what is wrong below each cell. */
import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { mapLookups } from '../../../options/lookups.ts';
import { counted } from '../../../text/wording.ts';
import type { Field, Preview, PreviewRow } from '../../answers.ts';
import { columnLabel, FIELDS } from '../../import-words.ts';
import { foreign } from '../../kit/elements.tsx';
import { type Form, optionsOf } from '../../kit/form.tsx';
import type { ShownFile } from './file-preview.ts';
import { shapeOf, TEMPLATE } from './shape-form.ts';
import type { GridRow } from './steps.ts';
import { type Suggestion, SuggestionButtons } from './suggestions.tsx';

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
  const places = usePlaces(columns, form);
  const [next] = found.missing;
  const scopes = preview.columnOf('scope');
  const strange = rows.filter(({ reasons }) => reasons.has(scopes)).map(({ original }) => cellText(original[scopes]));
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
              {columns.map((shown) => (
                <ColumnUse
                  key={shown.column}
                  {...shown}
                  preview={preview}
                  form={form}
                  strange={shown.column === scopes ? [...new Set(strange)] : []}
                  fields={places.flatMap(([field, place]) => (place === shown.index ? [field] : []))}
                  isNext={places.some(([field, place]) => field === next && place === shown.index)}
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
                scopes={scopes}
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

interface ShownColumn {
  column: string;
  index: number;
  uses: readonly string[];
  suggested: readonly Suggestion[];
}

/** The column at which each field is chosen, or could be: there the form shows its error. */
function usePlaces(columns: readonly ShownColumn[], form: Form) {
  const columnOfField = (field: string) =>
    (
      columns.find(({ uses }) => uses.includes(field)) ??
      columns.find(({ suggested }) => suggested.some(({ key }) => key === field)) ??
      columns.find(({ uses }) => uses.length === 0) ??
      columns[0]
    )?.index;
  const places = FIELDS.map(([field]) => [field, columnOfField(field)] as const);
  useLayoutEffect(() => {
    for (const [field, index] of places) form.register(`map-${field}`, document.getElementById(`use-${index}`));
    return () => {
      for (const [field] of places) form.register(`map-${field}`, null);
    };
  });
  return places;
}

interface ColumnUseProperties extends ShownColumn {
  /** The fields whose errors stand in this place. */
  fields: readonly string[];
  /** To be decided first. */
  isNext: boolean;
  /** Words that are no scopes. */
  strange: readonly string[];
  preview: ShownFile;
  form: Form;
}

function ColumnUse({ column, index, uses, suggested, fields, isNext, strange, preview, form }: ColumnUseProperties) {
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
          ...(strange.length > 0 ? ['strange'] : []),
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
      {strange.length > 0 && (
        <p id="strange" class="error">
          Not a scope: {foreign(strange.map((word) => `“${word}”`).join(', '))}
        </p>
      )}
      {suggested.map(({ key, text, ways }) => (
        <div key={key} class="suggested">
          <p id={`suggested-${key}`}>{text}</p>
          <SuggestionButtons of={key} ways={ways} preview={preview} />
        </div>
      ))}
    </td>
  );
}

interface RowProperties {
  row: GridRow;
  columns: readonly string[];
  isRead: boolean;
  /** The column of scopes: what is wrong with its words is said once, above it. */
  scopes: string;
  preview: ShownFile;
}

function Row({ row: { line, original, readAs, reasons, others }, columns, isRead, scopes, preview }: RowProperties) {
  const isLeftOut = readAs.every(({ skipped }) => skipped === true);
  const isWrong = !isLeftOut && reasons.size + others.length > 0;
  return (
    <tr class={isLeftOut ? 'left-out' : isWrong ? 'wrong' : ''}>
      <th scope="row" class="number">
        {line}
      </th>
      {columns.map((column) => (
        <td key={column}>
          <div class={column === scopes && reasons.has(column) ? 'cell error' : 'cell'}>
            {foreign(cellText(original[column]))}
          </div>
          {(column === scopes ? [] : reasons.get(column))?.map((reason) => (
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

function ReadAs({ row, preview }: { row: PreviewRow; preview: ShownFile }) {
  const { uid, guid, scope, region, problems, skipped } = row;
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

function cellText(value: unknown) {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

type Values = Readonly<Record<string, string>>;

/** The fields that a column can be chosen for: not those that a template makes. */
function choosable(values: Values) {
  return FIELDS.filter(([field]) => values[`${field}From`] !== TEMPLATE);
}

/** The fields that are read from a column. */
function usesOf(column: string, preview: ShownFile, values: Values) {
  return choosable(values).flatMap(([field]) => (preview.columnOf(field) === column ? [field] : []));
}

/** The choices of columns after one column gets another use: it loses its present ones. */
function chosenFor(column: string, uses: readonly string[], preview: ShownFile): Partial<Record<Field, string>> {
  return Object.fromEntries(
    FIELDS.flatMap(([field]) => {
      if (uses.includes(field)) return [[field, column]];
      return preview.columnOf(field) === column ? [[field, '']] : [];
    }),
  );
}

/** Returns the use of a column that no field is read from; '' for none. */
function otherUse(column: string, values: Values) {
  const shape = shapeOf(values, { width: 0, uidColumn: '', lookups: {} });
  const { templates, firstOf, wide, numbered, where = [] } = shape ?? {};
  const uses: Readonly<Record<string, readonly (string | undefined)[]>> = {
    'part of the UID': columnsOf(templates?.uid),
    'part of the GUID': columnsOf(templates?.guid),
    'UID, if others are empty': firstOf?.uid ?? [],
    'one of the groups': [...(wide?.columns ?? []), numbered?.guid],
    'one of the scopes': [numbered?.scope],
    'decides which rows count': where.map((condition) => condition.column),
  };
  const isOneOf = (patterns: readonly (string | undefined)[]) => patterns.some((one) => one && isLike(column, one));
  return Object.keys(uses).find((use) => isOneOf(uses[use] ?? [])) ?? '';
}

/** The columns that a template reads: `{E-mail|slug}`, `{Login ?? E-mail}`. */
function columnsOf(template = '') {
  const read = [...template.matchAll(/\{([^}|]*)/g)].flatMap(([, names = '']) => names.split('??'));
  return read.map((name) => name.trim());
}

/** Whether a name is like a pattern, in which * or # stands for any text. */
function isLike(name: string, pattern: string) {
  const parts = pattern.split(/[*#]/).map((part) => part.replaceAll(/[\\^$.+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'is').test(name);
}
