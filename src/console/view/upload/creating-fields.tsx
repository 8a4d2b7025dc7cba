/** The options for creating users and groups that the service does not know. */
import { CREATING_CHECKS, NAME_LABELS } from '../../../options/labels.ts';
import { columnChoices } from '../../import-words.ts';
import { choicesOf, Fields, FoldedFields, type Form } from '../../kit/form.tsx';

const GROUP_TYPES = choicesOf('groupType') ?? [];

interface CreatingProperties {
  form: Form;
  /** Columns of the file; absent where none is there to choose of: they are typed. */
  columns?: readonly string[];
  /** The effect if more are missing. */
  above?: string;
}

export function Creating({ form, columns, above = 'the import waits and asks' }: CreatingProperties) {
  const users = form.get('createUsers') !== '';
  const groups = form.get('createGroups') !== '';
  const creates = users || form.get('reactivate') !== '';
  const choices = columns && [['', 'as recognised'] as const, ...columnChoices(columns)];
  const type = form.get('groupType');
  const fields = {
    'createMap.name': users && choices && { label: 'Name of a new user', choices },
    userNameFrom: users && { label: `${NAME_LABELS.userNameFrom} (everyone sees it)`, ticked: 'uid' },
    'createMap.group_name': groups && choices && { label: 'Name of a new group', choices },
    // A type that was chosen on the command line: such a group also needs a column with its password.
    groupType: groups && { choices: type === 'password' ? [...GROUP_TYPES, type] : GROUP_TYPES },
    groupNameFrom: groups && { label: NAME_LABELS.groupNameFrom, ticked: 'guid' },
    createMap: !choices &&
      (users || groups) && {
        placeholder: 'name=Full Name, group_name=Room',
        note: 'Leave empty where the names are recognised.',
      },
    'maxCreate.users': creates && {
      label: 'Most users to create or reactivate',
      placeholder: '100',
      note: `A number or a share, such as 5%. If more are missing, ${above}.`,
    },
    'maxCreate.groups': groups && {
      label: 'Most groups to create',
      placeholder: '10',
      note: `If more are missing, ${above}.`,
    },
  };
  return (
    <FoldedFields title="Missing users and groups" form={form} fields={Object.keys(CREATING_CHECKS)} isOpen>
      {(creates || groups) && <Fields form={form} fields={fields} />}
    </FoldedFields>
  );
}
