/** What an import may create: users and groups that the service does not know. */
import { h } from '../../element.js';
import { CheckField, SelectField, TextField } from '../../form.js';

/** @import { Form, Choice } from '../../form.js' */
/** @import { FilePreview } from './preview.js' */

/** The values of these fields before anything is chosen. */
export const CREATING = {
  ...{ createUsers: '', createGroups: '', reactivate: '', userNameFrom: '', groupNameFrom: '' },
  ...{ nameColumn: '', groupNameColumn: '', groupType: '', maxUsers: '', maxGroups: '' },
};

/** @type {Choice[]} */
const GROUP_TYPES = [['', 'public'], 'private'];

/** @param {{ form: Form, preview: FilePreview | undefined }} properties */
export function Creating({ form, preview }) {
  const users = form.get('createUsers') === 'true';
  const groups = form.get('createGroups') === 'true';
  const creates = users || form.get('reactivate') === 'true';
  /** @type {Choice[]} */
  const columns = [['', 'as recognised'], ...(preview?.columns.value ?? [])];
  return h(
    'fieldset',
    null,
    h('legend', null, 'Missing users and groups'),
    h(
      'div',
      { class: 'fields' },
      h(CheckField, { form, name: 'createUsers', label: 'Create users the service does not know' }),
      h(CheckField, { form, name: 'createGroups', label: 'Create groups the service does not know' }),
      h(CheckField, { form, name: 'reactivate', label: 'Reactivate users who are deactivated' }),
    ),
    (creates || groups) &&
      h(
        'div',
        { class: 'fields more' },
        users && [
          h(SelectField, { key: 'name', form, name: 'nameColumn', label: 'Name of a new user', choices: columns }),
          h(CheckField, {
            key: 'from',
            form,
            name: 'userNameFrom',
            label: 'Use the UID as the name where there is none (everybody sees it)',
          }),
        ],
        groups && [
          h(SelectField, {
            key: 'name',
            form,
            name: 'groupNameColumn',
            label: 'Name of a new group',
            choices: columns,
          }),
          h(SelectField, { key: 'type', form, name: 'groupType', label: 'Type of a new group', choices: GROUP_TYPES }),
          h(CheckField, {
            key: 'from',
            form,
            name: 'groupNameFrom',
            label: 'Use the GUID as the name where there is none',
          }),
        ],
        creates &&
          h(TextField, {
            form,
            name: 'maxUsers',
            label: 'Most users to create or reactivate',
            placeholder: '100',
            note: 'A number or a share, such as 5%. If more are missing, the import waits and asks.',
          }),
        groups &&
          h(TextField, {
            form,
            name: 'maxGroups',
            label: 'Most groups to create',
            placeholder: '10',
            note: 'If more are missing, the import waits and asks.',
          }),
      ),
  );
}

/**
 * The fields as the server takes them.
 * @param {Readonly<Record<string, string>>} values
 * @returns {Record<string, string>}
 */
export function creatingOptions({ createUsers = '', createGroups = '', reactivate = '', ...values }) {
  if (createUsers + createGroups + reactivate === '') return {};
  const pairs = (/** @type {Record<string, string | undefined>} */ texts) =>
    Object.entries(texts)
      .filter(([, text]) => text !== undefined && text !== '')
      .map(([name, text]) => `${name}=${text}`)
      .join(',');
  const users = createUsers !== '';
  const groups = createGroups !== '';
  return {
    createUsers,
    createGroups,
    reactivate,
    userNameFrom: users && values['userNameFrom'] === 'true' ? 'uid' : '',
    groupNameFrom: groups && values['groupNameFrom'] === 'true' ? 'guid' : '',
    groupType: groups ? (values['groupType'] ?? '') : '',
    createMap: pairs({
      name: users ? values['nameColumn'] : '',
      group_name: groups ? values['groupNameColumn'] : '',
    }),
    maxCreate: pairs({
      users: users || reactivate !== '' ? values['maxUsers'] : '',
      groups: groups ? values['maxGroups'] : '',
    }),
  };
}
