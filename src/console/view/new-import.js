/** A new import: choose a file, see how it is read, start. */
import { h, importHref } from '../element.js';
import { CheckField, FieldGroup, TextField } from '../form.js';
import { listIn } from '../format.js';
import { useEntry } from '../kept-entries.js';
import { CREATING, Creating, creatingField, creatingOptions } from './upload/creating.js';
import { RunLimits } from './upload/reading.js';
import { READING, SHAPING } from './upload/shape-form.js';
import { UploadEntry } from './upload/upload-entry.js';
import { UploadForm } from './upload-form.js';

const PLACE = 'new import';
const FORM = {
  ...READING,
  ...SHAPING,
  ...CREATING,
  recipe: '',
  recipeTitle: '',
  tags: '',
  maxErrors: '',
  giveUpAfter: '',
  expectRows: '',
  first: '',
  onlyGroups: '',
  allowUnban: '',
  dryRun: '',
};

export function NewImport() {
  const entry = useEntry(PLACE, () => new UploadEntry(PLACE, FORM));
  const { form } = entry;
  return h(UploadForm, {
    title: 'New import',
    path: '/v1/imports',
    entry,
    isImport: true,
    toQuery: (values) => ({
      ...Object.fromEntries(OWN.map((name) => [name, values[name] ?? ''])),
      ...creatingOptions(values),
      only: onlyOf(values['onlyGroups'] ?? ''),
    }),
    fieldOf: (name) => FIELDS[name] ?? creatingField(name, form),
    label: form.get('dryRun') === 'true' ? 'Check the file' : 'Start import',
    hrefOf: importHref,
    own: (preview) => [
      h(Creating, { key: 'creating', form, preview }),
      h(
        FieldGroup,
        { title: 'Run options' },
        h(
          'div',
          { class: 'fields' },
          h(TextField, {
            form,
            name: 'tags',
            label: 'Tags',
            placeholder: 'choir, term 1',
            note: 'Words to find the import by.',
          }),
          h(TextField, {
            form,
            name: 'maxErrors',
            label: 'Stop after errors',
            placeholder: '100 or 5%',
            note: 'Leave empty to never stop.',
          }),
          h(RunLimits, { form }),
          h(TextField, {
            form,
            name: 'first',
            label: 'Send only the first rows',
            placeholder: '10',
            note: 'To try it. The others wait until you resume.',
          }),
          h(TextField, {
            form,
            name: 'onlyGroups',
            label: 'Send only these groups',
            placeholder: 'choir, team',
            note: 'The others wait until you resume.',
          }),
          h(CheckField, { form, name: 'allowUnban', label: 'Add users who are banned, which lifts their ban' }),
          h(CheckField, { form, name: 'dryRun', label: 'Only check the file, send nothing yet (dry run)' }),
        ),
      ),
    ],
  });
}

/** Options that are called as the server calls them. */
const OWN = ['tags', 'maxErrors', 'giveUpAfter', 'expectRows', 'first', 'allowUnban', 'dryRun'];
/** Fields that show what is wrong with an option of another name. @type {Readonly<Record<string, string>>} */
const FIELDS = { only: 'onlyGroups' };

/** `choir, team` as the server takes it. @param {string} text */
function onlyOf(text) {
  const groups = listIn(text);
  return groups.length === 0 ? '' : `guid=${groups.join('|')}`;
}
