/** The mapping from rows to memberships, if rows are not simply one membership each. */
import { LABELS } from '../../../options/labels.ts';
import { LOOKUP_NAMES, type LookupName } from '../../../options/lookups.ts';
import { columnChoices, LOOKUP_WORDS } from '../../import-words.ts';
import { useKeptFocus } from '../../kit/actions.tsx';
import { type Choice, type Form, focusField, optionsOf, SelectField, TextField } from '../../kit/form.tsx';
import type { FilePreview, ShownFile } from './file-preview.ts';
import { type Condition, conditionsIn, FIRST_OF, TEMPLATE } from './shape-form.ts';

type Properties = { preview: ShownFile; form: Form };

const UID_SOURCES: Choice[] = [
  ['', 'the column chosen above'],
  [FIRST_OF, 'the first filled of several columns'],
  [TEMPLATE, 'a template'],
];
const GUID_SOURCES: Choice[] = [
  ['', 'the column chosen above'],
  [TEMPLATE, 'a template'],
];
const GROUPS_IN: Choice[] = [
  ['', 'one column with the group'],
  ['wide', 'one column for each group'],
  ['numbered', 'numbered columns (course1, course2)'],
];
const TEMPLATE_NOTE =
  'Columns in braces, with functions: lower, upper, trim, slug, cometchat, localpart, domain, rdn, digits, prefix:TEXT, before:TEXT, after:TEXT.';

/** `upload`: what identity and group file can go with. */
export function Shaping({ preview, form, upload }: Properties & { upload?: FilePreview | undefined }) {
  return (
    <>
      <details>
        <summary>Make UIDs and GUIDs from columns</summary>
        <Ids preview={preview} form={form} />
        {upload !== undefined && LOOKUP_NAMES.map((name) => <LookupFile key={name} name={name} preview={upload} />)}
      </details>
      <details>
        <summary>Several groups or users in a row</summary>
        <Several form={form} />
      </details>
      <details>
        <summary>Only some rows</summary>
        <Where preview={preview} form={form} />
      </details>
    </>
  );
}

function Ids({ preview, form }: Properties) {
  const columns = preview.columns.value;
  const choices: Choice[] = [['', 'none'], ...columnChoices(columns)];
  const from = form.get('uidFrom');
  return (
    <div class="fields">
      <SelectField form={form} name="uidFrom" label="UID from" choices={UID_SOURCES} />
      {from === FIRST_OF && (
        <>
          <SelectField key={2} form={form} name="uidSecond" label="If it is empty, from" choices={choices} />
          <SelectField key={3} form={form} name="uidThird" label="If that is empty too, from" choices={choices} />
        </>
      )}
      {from === TEMPLATE && (
        <TextField
          form={form}
          name="uidTemplate"
          label="UID template"
          placeholder="{E-mail|localpart|lower}"
          note={TEMPLATE_NOTE}
        />
      )}
      <SelectField form={form} name="guidFrom" label="GUID from" choices={GUID_SOURCES} />
      {form.get('guidFrom') === TEMPLATE && (
        <TextField
          form={form}
          name="guidTemplate"
          label="GUID template"
          placeholder="course-{id}"
          note={TEMPLATE_NOTE}
        />
      )}
    </div>
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

function Several({ form }: { form: Form }) {
  const groupsIn = form.get('groupsIn');
  return (
    <div class="fields">
      <TextField form={form} name="splitGuid" label="Between groups in a cell" placeholder=";" />
      <TextField form={form} name="splitUid" label="Between users in a cell" placeholder=";" />
      <TextField
        form={form}
        name="splitScope"
        label="Between scopes in a cell"
        placeholder=";"
        note="In the order of the groups."
      />
      <SelectField form={form} name="groupsIn" label="Groups are in" choices={GROUPS_IN} />
      {groupsIn === 'wide' && (
        <>
          <TextField
            form={form}
            name="wideColumns"
            label="Columns that are groups"
            placeholder="Team *, Choir"
            note="* stands for any text. A cell has a mark (x, yes, 1) or a scope."
          />
          <TextField
            form={form}
            name="wideGuid"
            label="GUID of such a column"
            placeholder="{column|slug}"
            note="Leave empty to use the column’s name."
          />
        </>
      )}
      {groupsIn === 'numbered' && (
        <>
          <TextField
            form={form}
            name="numberedGuid"
            label="Group columns"
            placeholder="course#"
            note="# is the number."
          />
          <TextField form={form} name="numberedScope" label="Scope columns" placeholder="role#" />
        </>
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
