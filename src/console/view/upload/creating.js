/** What an import may create: users and groups that the service does not know. */
import { h } from '../../element.js';
import { CheckField, FieldGroup, SelectField, TextField } from '../../form.js';
import { columnChoices } from '../../words.js';

/** @import { Form, Choice } from '../../form.js' */
/** @import { FilePreview } from './preview.js' */

/** The values of these fields before anything is chosen. */
export const CREATING = {
  ...{ createUsers: '', createGroups: '', reactivate: '', userNameFrom: '', groupNameFrom: '' },
  ...{ nameColumn: '', groupNameColumn: '', createMap: '', groupType: '', maxUsers: '', maxGroups: '' },
};

/** @type {Choice[]} */
const GROUP_TYPES = [['', 'public'], 'private'];

/**
 * @param {object} properties
 * @param {Form} properties.form
 * @param {FilePreview} [properties.preview] absent where no file is there to choose columns of: they are typed
 * @param {string} [properties.above] what happens if more are missing
 */
export function Creating({ form, preview, above = 'the import waits and asks' }) {
  const users = form.get('createUsers') === 'true';
  const groups = form.get('createGroups') === 'true';
  const creates = users || form.get('reactivate') === 'true';
  /** @type {Choice[]} */
  const columns = [['', 'as recognised'], ...columnChoices(preview?.columns.value ?? [])];
  const type = form.get('groupType');
  return h(
    FieldGroup,
    { title: 'Missing users and groups' },
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
          preview !== undefined &&
            h(SelectField, { key: 'name', form, name: 'nameColumn', label: 'Name of a new user', choices: columns }),
          h(CheckField, {
            key: 'from',
            form,
            name: 'userNameFrom',
            label: 'Use the UID as the name where there is none (everyone sees it)',
          }),
        ],
        groups && [
          preview !== undefined &&
            h(SelectField, {
              key: 'name',
              form,
              name: 'groupNameColumn',
              label: 'Name of a new group',
              choices: columns,
            }),
          h(SelectField, {
            key: 'type',
            form,
            name: 'groupType',
            label: 'Type of a new group',
            // Made on the command line; such a group also needs a column with its password.
            choices: type === 'password' ? [...GROUP_TYPES, type] : GROUP_TYPES,
          }),
          h(CheckField, {
            key: 'from',
            form,
            name: 'groupNameFrom',
            label: 'Use the GUID as the name where there is none',
          }),
        ],
        preview === undefined &&
          (users || groups) &&
          h(TextField, {
            form,
            name: 'createMap',
            label: 'Columns of new users and groups',
            placeholder: 'name=Full Name, group_name=Room',
            note: 'Leave empty where the names are recognised.',
          }),
        creates &&
          h(TextField, {
            form,
            name: 'maxUsers',
            label: 'Most users to create or reactivate',
            placeholder: '100',
            note: `A number or a share, such as 5%. If more are missing, ${above}.`,
          }),
        groups &&
          h(TextField, {
            form,
            name: 'maxGroups',
            label: 'Most groups to create',
            placeholder: '10',
            note: `If more are missing, ${above}.`,
          }),
      ),
  );
}

/**
 * The field that shows what is wrong with an option.
 * @param {string} name
 * @param {Form} form
 */
export function creatingField(name, form) {
  if (name === 'createMap') return form.get(name) === '' ? 'nameColumn' : name;
  if (name !== 'maxCreate') return name;
  return form.get('createUsers') === 'true' || form.get('reactivate') === 'true' ? 'maxUsers' : 'maxGroups';
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
    createMap:
      values['createMap'] ||
      pairs({
        name: users ? values['nameColumn'] : '',
        group_name: groups ? values['groupNameColumn'] : '',
      }),
    maxCreate: pairs({
      users: users || reactivate !== '' ? values['maxUsers'] : '',
      groups: groups ? values['maxGroups'] : '',
    }),
  };
}
