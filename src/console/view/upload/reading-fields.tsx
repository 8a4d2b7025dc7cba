/** The fields that say how a file is read, and how its rows become memberships. */

import { REGIONS } from '../../../chat/service/regions.ts';
import { INPUT_KINDS, isWorkbook, nameOfInput } from '../../../options/input-kinds.ts';
import { LABELS } from '../../../options/labels.ts';
import { LOOKUP_NAMES, type LookupName } from '../../../options/lookups.ts';
import { columnChoices, LOOKUP_WORDS } from '../../import-words.ts';
import { useKeptFocus } from '../../kit/actions.tsx';
import { type Choice, Fields, FoldedFields, type Form, focusField, optionsOf } from '../../kit/form.tsx';
import type { FilePreview, ShownFile } from './file-preview.ts';
import { type Condition, conditionsIn, HEADER, IDS, isBrought, SEVERAL, type ShapeField } from './shape-form.ts';

const REGION_CHOICES: Choice[] = [['', 'the server’s default'], ...REGIONS];
const FORMATS: Choice[] = [['', 'detect'], ...INPUT_KINDS.map((kind) => [kind, nameOfInput(kind)] as const)];
const ENCODINGS: Choice[] = [
  ['', 'detect (UTF-8, UTF-16)'],
  ['windows-1252', 'Western European (windows-1252)'],
  ['windows-1250', 'Central European (windows-1250)'],
  ['windows-1251', 'Cyrillic (windows-1251)'],
  ['iso-8859-1', 'Latin 1 (iso-8859-1)'],
  ['iso-8859-15', 'Latin 9 (iso-8859-15)'],
  ['macintosh', 'Mac Roman (macintosh)'],
  ['utf-16le', 'UTF-16 LE'],
  ['utf-16be', 'UTF-16 BE'],
  ['shift_jis', 'Japanese (shift_jis)'],
  ['gb18030', 'Chinese (gb18030)'],
  ['euc-kr', 'Korean (euc-kr)'],
];
const DELIMITERS: Choice[] = [
  ['', 'detect'],
  [',', 'comma'],
  [';', 'semicolon'],
  ['tab', 'tab'],
  ['|', 'pipe (|)'],
];

type Properties = { preview: ShownFile; form: Form };

export function RowDefaults({ form }: { form: Form }) {
  const fields = { guid: {}, scope: {}, region: { choices: REGION_CHOICES }, onBehalfOf: {}, until: {} };
  return <FoldedFields title="Defaults for rows without a value" form={form} fields={fields} isOpen />;
}

export function SheetChoice({ form, preview }: Properties) {
  const sheets = sheetsOf(preview);
  const chosen = form.get('sheet');
  if (sheets.length < 2) return null;
  const known = sheets.map(({ name, isVisible }) => [name, isVisible ? name : `${name} (hidden)`] as const);
  const isKnown = chosen === '' || sheets.some(({ name }) => name === chosen);
  const choices: Choice[] = [['', 'the first one with a table'], ...known, ...(isKnown ? [] : [chosen])];
  return <Fields form={form} fields={{ sheet: { choices } }} />;
}

function sheetsOf({ facts }: ShownFile) {
  return facts.value?.sheets ?? [];
}

/** @param isArchive whether it is or may be one */
export function FileFormat({ form, preview, isArchive }: Properties & { isArchive: boolean }) {
  const kind = preview.found.value?.kind;
  const sheets = sheetsOf(preview);
  const isUnseen = preview.isTooLarge.value || isArchive;
  const hasSheets = isWorkbook(kind) || sheets.length > 0 || preview.isTooLarge.value;
  const fields = {
    format: { choices: FORMATS },
    sheet: sheets.length === 0 &&
      (isUnseen || form.get('sheet') !== '') && { note: 'Name or number. Leave empty for the first one with a table.' },
    files: (isArchive || form.get('files') !== '') && {},
    ...shownOf(HEADER, form),
    delimiter: !hasSheets && { choices: DELIMITERS },
    encoding: !hasSheets && { choices: ENCODINGS },
  };
  return <FoldedFields title="File format" form={form} fields={fields} />;
}

/** The mapping from rows to memberships. @param upload what identity and group file can go with */
export function Shaping({ preview, form, upload }: Properties & { upload?: FilePreview | undefined }) {
  return (
    <>
      <FoldedFields
        title="Make UIDs and GUIDs from columns"
        form={form}
        fields={shownOf(IDS, form, preview.columns.value)}
      >
        {upload !== undefined && LOOKUP_NAMES.map((name) => <LookupFile key={name} name={name} preview={upload} />)}
      </FoldedFields>
      <FoldedFields title="Several groups or users in a row" form={form} fields={shownOf(SEVERAL, form)} />
      <details>
        <summary>Only some rows</summary>
        <Where preview={preview} form={form} />
      </details>
    </>
  );
}

/** The fields that the choices so far bring. */
function shownOf(fields: Readonly<Record<string, ShapeField>>, form: Form, columns: readonly string[] = []) {
  const choices: Choice[] = [['', 'none'], ...columnChoices(columns)];
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      isBrought(field, form.values.value) && (field.isColumn === true ? { ...field, choices } : field),
    ]),
  );
}

/** A second file, which has the ids for what this one has. */
function LookupFile({ name, preview }: { name: LookupName; preview: FilePreview }) {
  const file = preview.lookups.value[name];
  const { one, note } = LOOKUP_WORDS[name];
  const id = `new-${name}`;
  return (
    <div class="lookup">
      <label for={id}>{LABELS[name]}</label>
      <input
        id={id}
        type="file"
        accept=".csv,.tsv,.txt,.json,.ndjson,.jsonl"
        aria-describedby={`${id}-note`}
        onChange={({ currentTarget }) => preview.lookUp(name, currentTarget.files?.[0])}
      />
      <p class="note" id={`${id}-note`}>
        {note}
      </p>
      {file !== undefined && (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            preview.lookUp(name, undefined);
            const input = document.getElementById(id);
            if (input instanceof HTMLInputElement) input.value = '';
            focusField(name);
          }}
        >
          Use {one.replace(/^an? /, 'no ')}
        </button>
      )}
    </div>
  );
}

function Where({ preview, form }: Properties) {
  const all = conditionsIn(form.values.value);
  const shown = all.length === 0 ? [EMPTY_CONDITION] : all;
  const set = (next: readonly Condition[]) => form.set('where', next.length === 0 ? '' : JSON.stringify(next));
  const change = (at: number, change: Partial<Condition>) =>
    set(shown.map((one, index) => (index === at ? { ...one, ...change } : one)));
  return (
    <div class="conditions" ref={useKeptFocus()}>
      <p class="note">Rows that do not meet every condition are left out. Separate several values with |.</p>
      {shown.map((condition, index) => (
        <div key={index} class="condition" role="group" aria-label={`Condition ${index + 1}`}>
          <select
            aria-label="Column"
            value={condition.column}
            onChange={({ currentTarget }) => change(index, { column: currentTarget.value })}
          >
            {optionsOf([['', 'choose a column'], ...columnChoices(preview.columns.value)])}
          </select>
          <select
            aria-label="Comparison"
            value={condition.is}
            onChange={({ currentTarget }) => change(index, { is: currentTarget.value === 'isNot' ? 'isNot' : 'is' })}
          >
            {optionsOf([
              ['is', 'is'],
              ['isNot', 'is not'],
            ])}
          </select>
          <input
            aria-label="Value"
            type="text"
            value={condition.words}
            placeholder="active"
            autocomplete="off"
            onInput={({ currentTarget }) => change(index, { words: currentTarget.value })}
          />
          {all.length > 0 && (
            <button
              type="button"
              class="quiet"
              aria-label={`Remove condition ${index + 1}`}
              onClick={() => set(all.filter((_, at) => at !== index))}
            >
              Remove
            </button>
          )}
        </div>
      ))}
      <button type="button" onClick={() => set([...shown, EMPTY_CONDITION])}>
        Add condition
      </button>
    </div>
  );
}

const EMPTY_CONDITION: Condition = { column: '', is: 'is', words: '' };
