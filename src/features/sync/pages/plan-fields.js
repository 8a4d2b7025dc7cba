/** What a plan is decided by, as fields of a form: of a sync, and of a schedule. */
import { h } from '../../../console/element.js';
import { CheckField, SelectField, TextField } from '../../../console/form.js';
import { settings } from '../../../console/frame.js';

/** @import { Form } from '../../../console/form.js' */

/** @type {import('../../../console/form.js').Choice[]} */
const MODES = [['', 'add'], 'mirror'];
/** @type {import('../../../console/form.js').Choice[]} */
const MISSING = [['', 'report'], 'remove', 'ban'];

/** The values of these fields before anything is chosen. */
export const PLAN = {
  ...{ mode: '', missing: '', protect: '', removeNamed: '' },
  ...{ allowDemotion: '', allowUnban: '', apply: '' },
};

/** @param {Form} form */
export function planFields(form) {
  const mirrors = form.get('mode') === 'mirror';
  return [
    h(SelectField, {
      form,
      name: 'mode',
      label: 'Mode',
      choices: MODES,
      note: mirrors ? 'Also looks at members who are not in the file.' : 'Adds and raises members; never removes any.',
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
  ];
}

/** @param {Form} form */
export function planChecks(form) {
  return [
    h(CheckField, { form, name: 'allowDemotion', label: 'Allow demotions' }),
    h(CheckField, { form, name: 'allowUnban', label: 'Add users who are banned, which lifts their ban' }),
    h(CheckField, { form, name: 'apply', label: 'Apply the plan at once, unless a guard objects' }),
  ];
}

/** A field for each limit of a guard, empty for its default. @param {{ form: Form }} properties */
export function GuardLimits({ form }) {
  const limits = settings.value?.guardLimits ?? [];
  return h(
    'details',
    null,
    h('summary', null, `Guard limits (${limits.length})`),
    h(
      'div',
      { class: 'fields' },
      limits.map(({ name, default: byDefault, unit, why }) =>
        h(TextField, {
          key: name,
          form,
          name: `${LIMIT}${name}`,
          label: name,
          placeholder: String(byDefault),
          note: unit === 'percent' ? `Percent of ${why}.` : `${why.charAt(0).toUpperCase()}${why.slice(1)}.`,
        }),
      ),
    ),
  );
}

/** Before the name of a limit. */
const LIMIT = 'limits.';

/** The limits that are filled in. @param {Readonly<Record<string, string>>} values @returns {(readonly [name: string, value: string])[]} */
export function limitsIn(values) {
  return Object.entries(values).flatMap(([name, value]) =>
    name.startsWith(LIMIT) && value !== '' ? [/** @type {const} */ ([name.slice(LIMIT.length), value])] : [],
  );
}

/** The fields that these limits fill. @param {Readonly<Record<string, number>>} limits @returns {Readonly<Record<string, string>>} */
export function limitFields(limits) {
  return Object.fromEntries(Object.entries(limits).map(([name, value]) => [`${LIMIT}${name}`, String(value)]));
}
