/** What a plan is decided by, as fields of a form: of a sync, and of a schedule. */
import { h } from '../../element.js';
import { CheckField, SelectField, TextField } from '../../form.js';

/** @import { Form } from '../../form.js' */

/** @type {import('../../form.js').Choice[]} */
const MODES = [
  ['', 'add: never removes'],
  ['mirror', 'mirror: also looks at members not in the file'],
];
/** @type {import('../../form.js').Choice[]} */
const MISSING = [['', 'report'], 'remove', 'ban'];

/** The values of these fields before anything is chosen. */
export const PLAN = {
  ...{ mode: '', missing: '', protect: '', removeNamed: '', limits: '' },
  ...{ allowDemotion: '', allowUnban: '', apply: '' },
};

/** @param {Form} form */
export function planFields(form) {
  return [
    h(SelectField, { form, name: 'mode', label: 'Mode', choices: MODES }),
    form.get('mode') === 'mirror' &&
      h(SelectField, { form, name: 'missing', label: 'Members not in the file', choices: MISSING }),
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
    h(CheckField, { form, name: 'allowDemotion', label: 'Allow demotions' }),
    h(CheckField, { form, name: 'allowUnban', label: 'Add users who are banned, which lifts their ban' }),
    h(CheckField, { form, name: 'apply', label: 'Apply the plan at once, unless a guard objects' }),
  ];
}

/**
 * `groupPercent=30, runRemovals=50` as names and values; what cannot be read is the server's to refuse.
 * @param {string} text
 * @returns {(readonly [name: string, value: string])[]}
 */
export function limitsIn(text) {
  const parts = text.split(',').filter((part) => part.trim() !== '');
  return parts.map((part) => {
    const [name = '', value = ''] = part.split('=');
    return [name.trim(), value.trim() || '?'];
  });
}
