/** The options for creating users and groups that the service does not know. Pure. */
import { pairsText } from './shape-form.ts';

/** The fields as the server takes them; '' where nothing of the kind is created. */
export function creatingOptions({
  createUsers = '',
  createGroups = '',
  reactivate = '',
  ...values
}: Readonly<Record<string, string>>): Record<string, string> {
  const users = createUsers !== '';
  const groups = createGroups !== '';
  const at = (name: string, isWanted: boolean) => (isWanted ? (values[name] ?? '') : '');
  const pairs = (texts: Record<string, string>) =>
    pairsText(Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')));
  return {
    createUsers,
    createGroups,
    reactivate,
    userNameFrom: at('userNameFrom', users) && 'uid',
    groupNameFrom: at('groupNameFrom', groups) && 'guid',
    groupType: at('groupType', groups),
    createMap:
      at('createMap', createUsers + createGroups + reactivate !== '') ||
      pairs({ name: at('nameColumn', users), group_name: at('groupNameColumn', groups) }),
    maxCreate: pairs({ users: at('maxUsers', createUsers + reactivate !== ''), groups: at('maxGroups', groups) }),
  };
}
