/** A new sync: choose a file, see how it is read, plan. */
import { h, syncHref } from '../element.js';
import { CheckField, SelectField, TextField, useForm } from '../form.js';
import { usePlace } from '../place.js';
import { READING } from './upload/reading.js';
import { SHAPING } from './upload/shape-form.js';
import { UploadForm } from './upload-form.js';

/** @type {import('../form.js').Choice[]} */
const MODES = [
  ['', 'add: never removes'],
  ['mirror', 'mirror: also looks at members not in the file'],
];
/** @type {import('../form.js').Choice[]} */
const MISSING = [['', 'report'], 'remove', 'ban'];
const EMPTY = {
  ...{ mode: '', missing: '', protect: '', removeNamed: '', limits: '' },
  ...{ allowDemotion: '', allowUnban: '', apply: '' },
};

/** Options that are called as the server calls them. */
const OWN = ['mode', 'protect', 'removeNamed', 'allowDemotion', 'allowUnban', 'apply'];

export function NewSync() {
  const { go } = usePlace();
  const form = useForm({ ...READING, ...SHAPING, ...EMPTY });
  const mirrors = form.get('mode') === 'mirror';
  return h(UploadForm, {
    title: 'New sync',
    path: '/v1/syncs',
    form,
    toQuery: ({ missing = '', limits = '', ...values }) => ({
      ...Object.fromEntries(OWN.map((name) => [name, values[name] ?? ''])),
      ...(mirrors && { missing }),
      ...limitsOf(limits),
    }),
    fieldOf: (name) => (name.startsWith('limit.') ? 'limits' : name),
    label: form.get('apply') === 'true' ? 'Plan and apply' : 'Create plan',
    onMade: (id) => go(syncHref(id)),
    own: () =>
      h(
        'fieldset',
        null,
        h('legend', null, 'The plan'),
        h(
          'div',
          { class: 'fields' },
          h(SelectField, {
            form,
            name: 'mode',
            label: 'Mode',
            choices: MODES,
            note: 'Others are members who are not in the file.',
          }),
          mirrors && h(SelectField, { form, name: 'missing', label: 'Members not in the file', choices: MISSING }),
          h(TextField, {
            form,
            name: 'protect',
            label: 'Protected UIDs',
            placeholder: 'ann, ben',
            note: 'Never removed, banned or lowered.',
          }),
          h(TextField, {
            form,
            name: 'removeNamed',
            label: 'UIDs that may be removed',
            placeholder: 'ann, ben',
            note: 'Even if they are owner, admin or protected.',
          }),
          h(TextField, {
            form,
            name: 'limits',
            label: 'Guard limits',
            placeholder: 'groupPercent=30, runRemovals=50',
            note: 'Leave empty for the defaults.',
          }),
          h(CheckField, { form, name: 'allowDemotion', label: 'Lower scopes where the file says so' }),
          h(CheckField, { form, name: 'allowUnban', label: 'Add users who are banned, which lifts their ban' }),
          h(CheckField, { form, name: 'apply', label: 'Apply the plan at once, unless a guard objects' }),
        ),
      ),
  });
}

/**
 * `groupPercent=30, runRemovals=50` as the server takes it; what cannot be read is its to refuse.
 * @param {string} text
 * @returns {Record<string, string>}
 */
function limitsOf(text) {
  const parts = text.split(',').filter((part) => part.trim() !== '');
  return Object.fromEntries(
    parts.map((part) => {
      const [name = '', value = ''] = part.split('=');
      return [`limit.${name.trim()}`, value.trim() || '?'];
    }),
  );
}
