/** The options of a new sync that do not depend on the file's columns. */
import { h } from '../../element.js';
import { formField } from '../new-import/field.js';
import { checkbox, formOptions, select, text } from '../new-import/options.js';

/** @param {() => void} onReading an option by which the file is read has changed */
export function syncOptions(onReading) {
  const fields = {
    mode: formField({
      name: 'mode',
      label: 'Mode',
      control: select([
        ['', 'add: never removes'],
        ['mirror', 'mirror: also looks at members not in the file'],
      ]),
      note: 'Others are members who are not in the file.',
    }),
    missing: formField({
      name: 'missing',
      label: 'Members not in the file',
      control: select([['', 'report'], 'remove', 'ban']),
    }),
    protect: formField({
      name: 'protect',
      label: 'Protected UIDs',
      control: text('ann, ben'),
      note: 'Never removed, banned or lowered.',
    }),
    removeNamed: formField({
      name: 'removeNamed',
      label: 'UIDs that may be removed',
      control: text('ann, ben'),
      note: 'Even if they are owner, admin or protected.',
    }),
    limits: formField({
      name: 'limits',
      label: 'Guard limits',
      control: text('groupPercent=30, runRemovals=50'),
      note: 'Leave empty for the defaults.',
    }),
  };
  const { mode, missing, protect, removeNamed, limits } = fields;
  const allowDemotion = checkbox('allowDemotion', 'Lower scopes where the file says so');
  const allowUnban = checkbox('allowUnban', 'Add users who are banned, which lifts their ban');
  const apply = checkbox('apply', 'Apply the plan at once, unless a guard objects');
  const showMissing = () => {
    missing.element.hidden = mode.control.value !== 'mirror';
  };
  mode.control.addEventListener('change', showMissing);
  showMissing();
  const element = h(
    'fieldset',
    {},
    h('legend', {}, 'The plan'),
    h(
      'div',
      { class: 'fields' },
      mode.element,
      missing.element,
      protect.element,
      removeNamed.element,
      limits.element,
      allowDemotion.element,
      allowUnban.element,
      apply.element,
    ),
  );
  return formOptions(onReading, {
    element,
    showError: (name, detail) => {
      const field = name.startsWith('limit.') ? limits : fields[/** @type {keyof typeof fields} */ (name)];
      field?.setError(detail);
      return field?.control;
    },
    clearErrors: () => {
      for (const field of Object.values(fields)) field.setError('');
    },
    values: () => ({
      mode: mode.control.value,
      missing: missing.element.hidden ? '' : missing.control.value,
      protect: protect.control.value.trim(),
      removeNamed: removeNamed.control.value.trim(),
      ...limitsOf(limits.control.value),
      allowDemotion: allowDemotion.value(),
      allowUnban: allowUnban.value(),
      apply: apply.value(),
    }),
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
