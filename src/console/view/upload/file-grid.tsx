/** The first rows of a file: its header says what each column is used for, its cells what is wrong with them. */

import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { isWorkbook, nameOfInput } from '../../../options/input-kinds.ts';
import { LOOKUP_NAMES, LOOKUPS } from '../../../options/lookups.ts';
import { counted } from '../../../text/wording.ts';
import { FIELDS, LOOKUP_WORDS, MISSING } from '../../import-words.ts';
import { announce } from '../../kit/actions.tsx';
import { ErrorPlace, FileNotes, foreign } from '../../kit/elements.tsx';
import { type Form, focusField } from '../../kit/form.tsx';
import { isNarrow } from '../../place.ts';
import type { ShownFile } from './file-preview.ts';
import { GridTable } from './grid-table.tsx';
import { gridRows } from './steps.ts';
import { suggestionsFor } from './suggestions.tsx';

/** Enough to see whether the columns are right, few enough to keep the button in sight. */
const ROWS_SHOWN = 8;
const ROWS_ON_PHONE = 3;
const DELIMITER_NAMES: Readonly<Record<string, string>> = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'pipe' };

export function FileGrid({ preview, form, isImport }: { preview: ShownFile; form: Form; isImport: boolean }) {
  const found = preview.found.value;
  const lines = preview.facts.value?.firstLines ?? [];
  const lookups = LOOKUP_NAMES.filter((name) => preview.lookups.value[name] !== undefined);
  const rows =
    found === undefined
      ? []
      : gridRows(found, {
          most: isNarrow() ? ROWS_ON_PHONE : ROWS_SHOWN,
          keyColumns: lookups.map((name) => preview.columnOf(LOOKUPS[name].field)),
        });
  return (
    <div class="file">
      <div class="about">
        <h3 id="first-rows" tabIndex={-1} ref={useLanding(preview)}>
          The first rows
        </h3>
        <p class="note" role="status">
          {stateOf(preview, rows.length)}
        </p>
      </div>
      {lookups.map((name) => (
        <p key={name} class="note">
          {LOOKUP_WORDS[name].ids} are looked up in {foreign(preview.lookups.value[name]?.name ?? '')} when the file is
          read.
        </p>
      ))}
      <ErrorPlace error={preview.error.value} />
      <FileNotes notes={found?.notes ?? []} />
      {found !== undefined && found.columns.length > 0 ? (
        <GridTable
          found={found}
          rows={rows}
          preview={preview}
          form={form}
          suggestions={suggestionsFor({ preview, form, isImport })}
        />
      ) : (
        lines.length > 0 && (
          <pre class="grid" tabIndex={0} role="region" aria-labelledby="first-rows">
            {foreign(lines.join('\n'))}
          </pre>
        )
      )}
      <NoColumns preview={preview} />
      <Missing preview={preview} form={form} />
    </div>
  );
}

function stateOf({ isTooLarge, isReading, facts, error, found }: ShownFile, rows: number) {
  if (isTooLarge.value) {
    return 'This workbook or archive is too large for a preview (4 MB). Its columns can be recognised by name only: check the file before you start.';
  }
  if (found.value === undefined) {
    if (isReading.value) return 'Reading …';
    // Else it is said beside a field, or below.
    return facts.value === undefined || error.value !== undefined ? '' : 'The file cannot be read with these options.';
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
function useLanding({ landing, found }: ShownFile) {
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
    const next = missing.length > 0 ? '.grid [data-next]' : '.suggestions button, .words button, #start';
    const place = document.querySelector(next);
    if (place instanceof HTMLElement) place.focus();
  }, [found.value]);
  return heading;
}

/** Fields that are read from several columns or parts of one, as a suggestion can say. */
function NoColumns({ preview }: { preview: ShownFile }) {
  return FIELDS.map(([field, label]) => {
    const source = preview.chosen.value[field] ?? '';
    if (source === '' || preview.columns.value.includes(source)) return null;
    return (
      <p key={field} class="note">
        {label} is read from <code>{foreign(source)}</code>.
      </p>
    );
  });
}

/** Shows the fields without a column, or with one that the server refused. */
function Missing({ preview, form }: { preview: ShownFile; form: Form }) {
  const missing = preview.found.value?.missing ?? [];
  return (
    <div class="missing">
      {FIELDS.map(([field]) => {
        const error = form.errors.value[`map-${field}`] ?? '';
        const isMissing = missing.includes(field);
        if (error === '' && !isMissing) return null;
        return (
          <p key={field} id={`new-map-${field}-error`} class={error === '' ? '' : 'error'}>
            {error || MISSING[field]}
            {field === 'guid' && isMissing && (
              <>
                {' '}
                <button type="button" onClick={() => focusField('guid')}>
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
