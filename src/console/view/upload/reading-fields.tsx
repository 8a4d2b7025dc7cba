/** The options for reading a file, whatever it is uploaded for. */
import { REGIONS } from '../../../chat/service/regions.ts';
import { INPUT_KINDS, isWorkbook, nameOfInput } from '../../../options/input-kinds.ts';
import { type Choice, choicesOf, FieldGroup, type Form, SelectField, TextField } from '../../kit/form.tsx';
import type { ShownFile } from './file-preview.ts';

const SCOPES = choicesOf('scope', { ban: 'ban (refuse entry)' });
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
const HEADERS: Choice[] = [
  ['', 'detect'],
  ['row', 'in a certain row'],
  ['skip', 'after lines to skip'],
  ['none', 'there is none'],
];
const DELIMITERS: Choice[] = [
  ['', 'detect'],
  [',', 'comma'],
  [';', 'semicolon'],
  ['tab', 'tab'],
  ['|', 'pipe (|)'],
];

export function RowDefaults({ form }: { form: Form }) {
  return (
    <FieldGroup title="Defaults for rows without a value">
      <div class="fields">
        <TextField form={form} name="guid" />
        <SelectField form={form} name="scope" choices={SCOPES} />
        <SelectField form={form} name="region" choices={REGION_CHOICES} />
        <TextField form={form} name="onBehalfOf" note="Leave empty to let the service itself act." />
      </div>
    </FieldGroup>
  );
}

export function SheetChoice({ form, preview }: { form: Form; preview: ShownFile }) {
  const sheets = sheetsOf(preview);
  const chosen = form.get('sheet');
  if (sheets.length < 2) return null;
  const known = sheets.map(({ name, isVisible }) => [name, isVisible ? name : `${name} (hidden)`] as const);
  const isKnown = chosen === '' || sheets.some(({ name }) => name === chosen);
  return (
    <SelectField
      form={form}
      name="sheet"
      choices={[['', 'the first one with a table'], ...known, ...(isKnown ? [] : [chosen])]}
    />
  );
}

function sheetsOf({ facts }: ShownFile) {
  return facts.value?.sheets ?? [];
}

interface FileFormatProperties {
  form: Form;
  preview: ShownFile;
  /** Whether it is or may be one. */
  isArchive: boolean;
}

export function FileFormat({ form, preview, isArchive }: FileFormatProperties) {
  const header = form.get('header');
  const kind = preview.found.value?.kind;
  const sheets = sheetsOf(preview);
  const isUnseen = preview.isTooLarge.value || isArchive;
  const hasSheets = isWorkbook(kind) || sheets.length > 0 || preview.isTooLarge.value;
  return (
    <details>
      <summary>File format</summary>
      <div class="fields">
        <SelectField form={form} name="format" choices={FORMATS} />
        {sheets.length === 0 && (isUnseen || form.get('sheet') !== '') && (
          <TextField form={form} name="sheet" note="Name or number. Leave empty for the first one with a table." />
        )}
        {(isArchive || form.get('files') !== '') && (
          <TextField form={form} name="files" placeholder="members*.csv" note="Leave empty for all that can be read." />
        )}
        <SelectField form={form} name="header" label="Header row" choices={HEADERS} />
        {header === 'row' && <TextField form={form} name="headerRow" placeholder="3" />}
        {header === 'skip' && <TextField form={form} name="skipLines" placeholder="2" />}
        {!hasSheets && <SelectField form={form} name="delimiter" choices={DELIMITERS} />}
        {!hasSheets && <SelectField form={form} name="encoding" choices={ENCODINGS} />}
      </div>
    </details>
  );
}

/** The limits at which an import, or the run of a schedule, ends early. */
export function RunLimits({ form }: { form: Form }) {
  return (
    <>
      <TextField
        form={form}
        name="giveUpAfter"
        placeholder="30m or 12h"
        note="Leave empty to wait as long as it takes."
      />
      <RowsExpected form={form} />
    </>
  );
}

export function RowsExpected({ form }: { form: Form }) {
  return (
    <>
      <TextField form={form} name="expectRows" placeholder="1200" note="With another number nothing is sent." />
      <TextField
        form={form}
        name="minRows"
        placeholder="90% or 1000"
        note="With fewer nothing is sent. A share is one of the rows of the last run."
      />
    </>
  );
}
