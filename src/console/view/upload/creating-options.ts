/** The options for creating users and groups: the fields as a form begins, and as the server takes them. Pure. */
import { CREATING_CHECKS } from '../../../options/labels.ts';

/** The values of these fields before anything is chosen. */
export const CREATING = {
  ...Object.fromEntries(Object.keys(CREATING_CHECKS).map((name) => [name, ''])),
  userNameFrom: '',
  groupNameFrom: '',
  nameColumn: '',
  groupNameColumn: '',
  createMap: '',
  groupType: '',
  maxUsers: '',
  maxGroups: '',
};

/** The fields as the server takes them. */
export function creatingOptions({
  createUsers = '',
  createGroups = '',
  reactivate = '',
  ...values
}: Readonly<Record<string, string>>): Record<string, string> {
  if (createUsers + createGroups + reactivate === '') return {};
  const pairs = (texts: Record<string, string | undefined>) =>
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
