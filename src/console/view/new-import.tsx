/** A new import: choose a file, see how it is read, start. */
import { BAN_CHECKS } from '../../options/labels.ts';
import { listIn } from '../format.ts';
import { useEntry } from '../kept-entries.ts';
import { importHref } from '../kit/elements.tsx';
import { CheckField, CheckFields, FieldGroup, TextField, unticked } from '../kit/form.tsx';
import { CREATING, Creating, creatingField, creatingOptions } from './upload/creating-fields.tsx';
import { RunLimits } from './upload/reading-fields.tsx';
import { READING, SHAPING } from './upload/shape-form.ts';
import { UploadEntry } from './upload/upload-entry.ts';
import { UploadForm } from './upload-form.tsx';

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
  minRows: '',
  first: '',
  onlyGroups: '',
  ...unticked(BAN_CHECKS),
  dryRun: '',
};

export function NewImport() {
  const entry = useEntry(PLACE, () => new UploadEntry(PLACE, FORM));
  const { form } = entry;
  return (
    <UploadForm
      title="New import"
      path="/v1/imports"
      entry={entry}
      isImport
      toQuery={(values) => ({
        ...Object.fromEntries(OWN.map((name) => [name, values[name] ?? ''])),
        ...creatingOptions(values),
        only: onlyOf(values['onlyGroups'] ?? ''),
      })}
      fieldOf={(name) => FIELDS[name] ?? creatingField(name, form)}
      label={form.get('dryRun') === 'true' ? 'Check the file' : 'Start import'}
      hrefOf={importHref}
      own={(preview) => (
        <>
          <Creating form={form} preview={preview} />
          <FieldGroup title="Run options">
            <div class="fields">
              <TextField form={form} name="tags" placeholder="choir, term 1" note="Words to find the import by." />
              <TextField form={form} name="maxErrors" placeholder="100 or 5%" note="Leave empty to never stop." />
              <RunLimits form={form} />
              <TextField
                form={form}
                name="first"
                placeholder="10"
                note="To try it. The others wait until you resume."
              />
              <TextField
                form={form}
                name="onlyGroups"
                label="Send only these groups"
                placeholder="choir, team"
                note="The others wait until you resume."
              />
              <CheckFields form={form} labels={BAN_CHECKS} />
              <CheckField form={form} name="dryRun" />
            </div>
          </FieldGroup>
        </>
      )}
    />
  );
}

/** Options that are called as the server calls them. */
const OWN = [
  'tags',
  'maxErrors',
  'giveUpAfter',
  'expectRows',
  'minRows',
  'first',
  ...Object.keys(BAN_CHECKS),
  'dryRun',
];
/** Fields that show what is wrong with an option of another name. */
const FIELDS: Readonly<Record<string, string>> = { only: 'onlyGroups' };

/** `choir, team` as the server takes it. */
function onlyOf(text: string) {
  const groups = listIn(text);
  return groups.length === 0 ? '' : `guid=${groups.join('|')}`;
}
