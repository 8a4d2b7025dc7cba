/** How rows become memberships, where a row is not simply one. */
import { h } from '../../element.js';
import { Field, focusField, optionsOf, SelectField, TextField } from '../../form.js';
import { columnChoices } from '../../words.js';
import { useKeptFocus } from '../../work.js';
import { conditionsIn, FIRST_OF, TEMPLATE, wordsOf } from './shape-form.js';

/** @import { Form, Choice } from '../../form.js' */
/** @import { Condition } from './shape-form.js' */
/** @import { FilePreview, ShownFile } from './preview.js' */

/** @typedef {{ preview: ShownFile, form: Form }} Properties */

/** @type {Choice[]} */
const UID_SOURCES = [
  ['', 'the column chosen above'],
  [FIRST_OF, 'the first filled of several columns'],
  [TEMPLATE, 'a template'],
];
/** @type {Choice[]} */
const GUID_SOURCES = [
  ['', 'the column chosen above'],
  [TEMPLATE, 'a template'],
];
/** @type {Choice[]} */
const GROUPS_IN = [
  ['', 'one column with the group'],
  ['wide', 'one column for each group'],
  ['numbered', 'numbered columns (course1, course2)'],
];
/** @type {Choice[]} */
const MEANINGS = [['', 'not chosen'], 'participant', 'moderator', 'admin', 'ban', ['none', 'no membership']];
const SCOPES = ['participant', 'moderator', 'admin', 'ban'];
const TEMPLATE_NOTE =
  'Columns in braces, with functions: lower, upper, trim, slug, localpart, domain, digits, prefix:TEXT, before:TEXT, after:TEXT.';

/** @param {Properties & { upload?: FilePreview | undefined }} properties `upload`: what an identity file can go with */
export function Shaping({ preview, form, upload }) {
  return h(
    'div',
    { class: 'folds' },
    h(
      'details',
      null,
      h('summary', null, 'Make UIDs and GUIDs from columns'),
      h(Ids, { preview, form }),
      upload !== undefined && h(IdentityFile, { preview: upload }),
    ),
    h('details', null, h('summary', null, 'Several groups or users in a row'), h(Several, { form })),
    h('details', null, h('summary', null, 'Words for scopes'), h(ScopeWords, { preview, form })),
    h('details', null, h('summary', null, 'Only some rows'), h(Where, { preview, form })),
  );
}

/** @param {Properties} properties */
function Ids({ preview, form }) {
  const columns = preview.columns.value;
  /** @type {Choice[]} */
  const choices = [['', 'none'], ...columnChoices(columns)];
  const from = form.get('uidFrom');
  return h(
    'div',
    { class: 'fields' },
    h(SelectField, { form, name: 'uidFrom', label: 'UID from', choices: UID_SOURCES }),
    from === FIRST_OF && [
      h(SelectField, { key: 2, form, name: 'uidSecond', label: 'If it is empty, from', choices }),
      h(SelectField, { key: 3, form, name: 'uidThird', label: 'If that is empty too, from', choices }),
    ],
    from === TEMPLATE &&
      h(TextField, {
        form,
        name: 'uidTemplate',
        label: 'UID template',
        placeholder: '{E-mail|localpart|lower}',
        note: TEMPLATE_NOTE,
      }),
    h(SelectField, { form, name: 'guidFrom', label: 'GUID from', choices: GUID_SOURCES }),
    form.get('guidFrom') === TEMPLATE &&
      h(TextField, {
        form,
        name: 'guidTemplate',
        label: 'GUID template',
        placeholder: 'course-{id}',
        note: TEMPLATE_NOTE,
      }),
  );
}

/** A second file, which has the UID for what this one has. @param {{ preview: FilePreview }} properties */
function IdentityFile({ preview }) {
  const file = preview.identities.value;
  return h(
    'div',
    { class: 'identities' },
    h('label', { for: 'new-identities' }, 'Identity file'),
    h('input', {
      id: 'new-identities',
      type: 'file',
      accept: '.csv,.tsv,.txt,.json,.ndjson,.jsonl',
      'aria-describedby': 'new-identities-note',
      onChange: ({ currentTarget }) => preview.identify(currentTarget.files?.[0]),
    }),
    h(
      'p',
      { class: 'note', id: 'new-identities-note' },
      'If the file has e-mail addresses or employee numbers instead of UIDs: a CSV or JSON file with both, such as the columns email and uid.',
    ),
    file !== undefined &&
      h(
        'button',
        {
          type: 'button',
          class: 'quiet',
          onClick: () => {
            preview.identify(undefined);
            const input = document.getElementById('new-identities');
            if (input instanceof HTMLInputElement) input.value = '';
            focusField('identities');
          },
        },
        'Use no identity file',
      ),
  );
}

/** @param {{ form: Form }} properties */
function Several({ form }) {
  const groupsIn = form.get('groupsIn');
  return h(
    'div',
    { class: 'fields' },
    h(TextField, { form, name: 'splitGuid', label: 'Between groups in a cell', placeholder: ';' }),
    h(TextField, { form, name: 'splitUid', label: 'Between users in a cell', placeholder: ';' }),
    h(TextField, {
      form,
      name: 'splitScope',
      label: 'Between scopes in a cell',
      placeholder: ';',
      note: 'In the order of the groups.',
    }),
    h(SelectField, { form, name: 'groupsIn', label: 'Groups are in', choices: GROUPS_IN }),
    groupsIn === 'wide' && [
      h(TextField, {
        key: 'columns',
        form,
        name: 'wideColumns',
        label: 'Columns that are groups',
        placeholder: 'Team *, Choir',
        note: '* stands for any text. A cell has a mark (x, yes, 1) or a scope.',
      }),
      h(TextField, {
        key: 'guid',
        form,
        name: 'wideGuid',
        label: 'GUID of such a column',
        placeholder: '{column|slug}',
        note: 'Leave empty to use the column’s name.',
      }),
    ],
    groupsIn === 'numbered' && [
      h(TextField, {
        key: 'guid',
        form,
        name: 'numberedGuid',
        label: 'Group columns',
        placeholder: 'course#',
        note: '# is the number.',
      }),
      h(TextField, { key: 'scope', form, name: 'numberedScope', label: 'Scope columns', placeholder: 'role#' }),
    ],
  );
}

/** @param {Properties} properties */
function ScopeWords({ preview, form }) {
  const own = wordsOf(form.values.value);
  const column = preview.columnOf('scope');
  const seen = preview.facts.value?.columns.find(({ name }) => name === column)?.words ?? [];
  const strange = seen.filter((word) => !SCOPES.includes(word.toLowerCase()));
  const words = [...new Set([...strange, ...Object.keys(own).filter((word) => word !== '*'), '*'])];
  /** @param {string} word @param {string} meaning */
  const choose = (word, meaning) => {
    const { [word]: _, ...others } = own;
    form.set('scopeWords', JSON.stringify(meaning === '' ? others : { ...others, [word]: meaning }));
  };
  return h(
    'div',
    { class: 'fields' },
    words.map((word, index) =>
      h(Field, {
        key: word,
        form,
        name: `word-${index}`,
        label: word === '*' ? 'Any other word' : word === '' ? 'Empty cell' : `“${word}”`,
        control: (own_) =>
          h(
            'select',
            { ...own_, value: own[word] ?? '', onChange: ({ currentTarget }) => choose(word, currentTarget.value) },
            optionsOf(MEANINGS),
          ),
      }),
    ),
  );
}

/** @param {Properties} properties */
function Where({ preview, form }) {
  const all = conditionsIn(form.values.value);
  const shown = all.length === 0 ? [EMPTY_CONDITION] : all;
  /** @param {readonly Condition[]} next */
  const set = (next) => form.set('where', next.length === 0 ? '' : JSON.stringify(next));
  /** @param {number} at @param {Partial<Condition>} change */
  const change = (at, change) => set(shown.map((one, index) => (index === at ? { ...one, ...change } : one)));
  return h(
    'div',
    { class: 'conditions', ref: useKeptFocus() },
    h('p', { class: 'note' }, 'Rows that do not meet every condition are left out. Separate several values with |.'),
    shown.map((condition, index) =>
      h(
        'div',
        { key: index, class: 'condition', role: 'group', 'aria-label': `Condition ${index + 1}` },
        h(
          'select',
          {
            'aria-label': 'Column',
            value: condition.column,
            onChange: ({ currentTarget }) => change(index, { column: currentTarget.value }),
          },
          optionsOf([['', 'choose a column'], ...columnChoices(preview.columns.value)]),
        ),
        h(
          'select',
          {
            'aria-label': 'Comparison',
            value: condition.is,
            onChange: ({ currentTarget }) => change(index, { is: currentTarget.value === 'isNot' ? 'isNot' : 'is' }),
          },
          optionsOf([
            ['is', 'is'],
            ['isNot', 'is not'],
          ]),
        ),
        h('input', {
          'aria-label': 'Value',
          type: 'text',
          value: condition.words,
          placeholder: 'active',
          autocomplete: 'off',
          onInput: ({ currentTarget }) => change(index, { words: currentTarget.value }),
        }),
        all.length > 0 &&
          h(
            'button',
            {
              type: 'button',
              class: 'quiet',
              'aria-label': `Remove condition ${index + 1}`,
              onClick: () => set(all.filter((_, at) => at !== index)),
            },
            'Remove',
          ),
      ),
    ),
    h('button', { type: 'button', onClick: () => set([...shown, EMPTY_CONDITION]) }, 'Add condition'),
  );
}

/** @type {Condition} */
const EMPTY_CONDITION = { column: '', is: 'is', words: '' };
