/** The fields that say how a file is read, and how its rows become memberships. */

import { REGIONS } from '../../../chat/service/regions.ts';
import { INPUT_KINDS, isWorkbook, nameOfInput } from '../../../options/input-kinds.ts';
import { LABELS } from '../../../options/labels.ts';
import { LOOKUP_NAMES, type LookupName } from '../../../options/lookups.ts';
import type { Shape } from '../../answers.ts';
import { columnChoices, LOOKUP_WORDS } from '../../import-words.ts';
import { useKeptFocus } from '../../kit/actions.tsx';
import { foreign } from '../../kit/elements.tsx';
import { type Choice, Control, Fields, FoldedFields, focusField } from '../../kit/form.tsx';
import type { FileForm } from './file-form.ts';
import { HEADER, IDS, partOf, SEVERAL, type ShapeField } from './file-options.ts';

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

export function SheetChoice({ form }: { form: FileForm }) {
  const sheets = form.facts.value?.sheets ?? [];
  const chosen = form.get('sheet');
  if (sheets.length < 2) return null;
  const known = sheets.map(({ name, isVisible }) => [name, isVisible ? name : `${name} (hidden)`] as const);
  const isKnown = chosen === '' || sheets.some(({ name }) => name === chosen);
  const choices: Choice[] = [['', 'the first one with a table'], ...known, ...(isKnown ? [] : [chosen])];
  return <Fields form={form} fields={{ sheet: { choices } }} />;
}

/** Folded by subject. @param isArchive whether it is or may be one */
export function ReadingFields({ form, isArchive }: { form: FileForm; isArchive: boolean }) {
  const hasNoSheets = (form.facts.value?.sheets ?? []).length === 0;
  const isText = !isWorkbook(form.found.value?.kind) && hasNoSheets && !form.isTooLarge.value;
  const defaults = { guid: {}, scope: {}, region: { choices: REGION_CHOICES }, onBehalfOf: {}, until: {} };
  const format = {
    format: { choices: FORMATS },
    sheet: hasNoSheets &&
      (form.isTooLarge.value || isArchive || form.get('sheet') !== '') && {
        note: 'Name or number. Leave empty for the first one with a table.',
      },
    files: (isArchive || form.get('files') !== '') && {},
    ...shownOf(HEADER, form),
    delimiter: isText && { choices: DELIMITERS },
    encoding: isText && { choices: ENCODINGS },
  };
  return (
    <>
      <FoldedFields title="Defaults for rows without a value" form={form} fields={defaults} isOpen />
      <FoldedFields title="File format" form={form} fields={format} />
      <FoldedFields title="Make UIDs and GUIDs from columns" form={form} fields={shownOf(IDS, form)}>
        {form.isImport && LOOKUP_NAMES.map((name) => <LookupFile key={name} name={name} form={form} />)}
      </FoldedFields>
      <FoldedFields title="Several groups or users in a row" form={form} fields={shownOf(SEVERAL, form)} />
      <details>
        <summary>Only some rows</summary>
        <Where form={form} />
      </details>
    </>
  );
}

/** The fields with what the choices so far bring. */
function shownOf(fields: Readonly<Record<string, ShapeField>>, form: FileForm) {
  const columns: Choice[] = [['', 'none'], ...columnChoices(form.columns.value)];
  return Object.fromEntries(
    Object.entries(fields).map(([name, { when, choices, isColumn, ...field }]) => [
      name,
      (choices !== undefined || when === undefined || partOf(form.shape.value, when) !== undefined) && {
        ...field,
        choices: isColumn === true ? columns : choices,
      },
    ]),
  );
}

/** A second file, which has the ids for what this one has. */
function LookupFile({ name, form }: { name: LookupName; form: FileForm }) {
  const file = form.lookups.value[name];
  const { one, note } = LOOKUP_WORDS[name];
  return (
    <div class="col">
      <Control
        id={`new-${name}`}
        label={LABELS[name]}
        type="file"
        note={file === undefined ? note : foreign(file.name)}
        value=""
        attributes={{
          accept: '.csv,.tsv,.txt,.json,.ndjson,.jsonl',
          onChange: ({ currentTarget }) => form.lookUp(name, currentTarget.files?.[0]),
        }}
      />
      {file !== undefined && (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            form.lookUp(name, undefined);
            focusField(name);
          }}
        >
          Use {one.replace(/^an? /, 'no ')}
        </button>
      )}
    </div>
  );
}

const COMPARISONS: Choice[] = [
  ['is', 'is'],
  ['isNot', 'is not'],
];

/** The words of a condition stand between |. */
function Where({ form }: { form: FileForm }) {
  const all = form.shape.value.where ?? [];
  const shown = all.length === 0 ? [EMPTY_CONDITION] : all;
  const set = (next: readonly Condition[]) => form.put('where', next.length === 0 ? undefined : next);
  const columns = [['', 'choose a column'], ...columnChoices(form.columns.value)];
  return (
    <div class="col" ref={useKeptFocus()}>
      <p class="note">Rows that do not meet every condition are left out. Separate several values with |.</p>
      {shown.map(({ column, isNot, is = isNot }, index) => {
        const comparison = isNot === undefined ? 'is' : 'isNot';
        const control = (label: string, value: string, changed: (value: string) => Condition, options = {}) => (
          <Control
            id={`where-${index}-${label}`}
            label={label}
            value={value}
            onValue={(next) => set(shown.with(index, changed(next)))}
            {...options}
          />
        );
        return (
          <div key={index} class="fields col" role="group" aria-label={`Condition ${index + 1}`}>
            {control('Column', column, (chosen) => ({ column: chosen, [comparison]: is }), { choices: columns })}
            {control('Comparison', comparison, (chosen) => ({ column, [chosen]: is }), { choices: COMPARISONS })}
            {control('Value', is?.join('|') ?? '', (text) => ({ column, [comparison]: text.split('|') }), EXAMPLE)}
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
        );
      })}
      <button type="button" onClick={() => set([...shown, EMPTY_CONDITION])}>
        Add condition
      </button>
    </div>
  );
}

type Condition = NonNullable<Shape['where']>[number];

const EXAMPLE = { placeholder: 'active' };
const EMPTY_CONDITION: Condition = { column: '', is: [''] };
