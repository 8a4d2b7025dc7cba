/** The options for creating users and groups that the service does not know. Pure. */

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
