/** A new sync: choose a file, see how it is read, plan. */
import { h, syncHref } from '../../../console/element.js';
import { useEntry } from '../../../console/kept-entries.js';
import { CREATING, Creating, creatingField, creatingOptions } from '../../../console/view/upload/creating.js';
import { READING, SHAPING } from '../../../console/view/upload/shape-form.js';
import { UploadEntry } from '../../../console/view/upload/upload-entry.js';
import { UploadForm } from '../../../console/view/upload-form.js';
import { GuardLimits, limitsIn, PLAN, planChecks, planFields } from './plan-fields.js';

/** Options that are called as the server calls them. */
const OWN = ['mode', 'protect', 'removeNamed', 'allowDemotion', 'allowUnban', 'apply'];

const PLACE = 'new sync';
const FORM = { ...READING, ...SHAPING, ...CREATING, ...PLAN };

export function NewSync() {
  const entry = useEntry(PLACE, () => new UploadEntry(PLACE, FORM));
  const { form } = entry;
  const mirrors = form.get('mode') === 'mirror';
  return h(UploadForm, {
    title: 'New sync',
    path: '/v1/syncs',
    entry,
    toQuery: ({ missing = '', ...values }) => ({
      ...Object.fromEntries(OWN.map((name) => [name, values[name] ?? ''])),
      ...(mirrors && { missing }),
      ...creatingOptions(values),
      ...Object.fromEntries(limitsIn(values).map(([name, value]) => [`limit.${name}`, value])),
    }),
    fieldOf: (name) => creatingField(name.replace(/^limit\./, 'limits.'), form),
    label: form.get('apply') === 'true' ? 'Plan and apply' : 'Create plan',
    hrefOf: syncHref,
    own: (preview) => [
      h(Creating, { key: 'creating', form, preview, above: 'the plan is held' }),
      h(
        'fieldset',
        { key: 'plan' },
        h('legend', null, 'The plan'),
        h('div', { class: 'fields' }, planFields(form), planChecks(form)),
        h(GuardLimits, { form }),
      ),
    ],
  });
}
