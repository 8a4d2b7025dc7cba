/** A new import: choose a file, see how it is read, start. */
import { h, importHref } from '../element.js';
import { CheckField, TextField, useForm } from '../form.js';
import { usePlace } from '../place.js';
import { READING } from './upload/reading.js';
import { UploadForm } from './upload-form.js';

export function NewImport() {
  const { go } = usePlace();
  const form = useForm({ ...READING, maxErrors: '', dryRun: '' });
  return h(UploadForm, {
    title: 'New import',
    path: '/v1/imports',
    form,
    label: form.get('dryRun') === 'true' ? 'Check the file' : 'Start import',
    onMade: (id) => go(importHref(id)),
    own: h(
      'fieldset',
      null,
      h('legend', null, 'Run options'),
      h(
        'div',
        { class: 'fields' },
        h(TextField, {
          form,
          name: 'maxErrors',
          label: 'Stop after errors',
          placeholder: '100 or 5%',
          note: 'Leave empty to never stop.',
        }),
        h(CheckField, { form, name: 'dryRun', label: 'Only check the file, send nothing yet (dry run)' }),
      ),
    ),
  });
}
