import { ID } from '../../chat/service/ids.ts';
import { option, shapeOption, words } from '../../errors/named-options.ts';
import { shown } from '../../imports/read/intake-error.ts';
import { OPEN_VALUE } from '../../options/option-texts.ts';
import { type ColumnFacts, DATE, EMAIL } from './column-facts.ts';
import { counted, type Step } from './states.ts';

/** Whether the header is really a row: its cells are values like those below them. */
export function isWithoutHeader(columns: readonly ColumnFacts[], recognised: object): boolean {
  if (columns.length < 2 || Object.keys(recognised).length > 0) return false;
  if (columns.some(({ name }) => EMAIL.test(name) || DATE.test(name) || /^\d+$/.test(name))) return true;
  return (
    columns.every(({ name, looksLike }) => looksLike === 'id' && ID.test(name)) &&
    columns.some(({ name }) => /\d/.test(name))
  );
}

/** Names for the columns of a file without a header: users are those that differ most. Of several possible groups a person chooses. */
export function withoutHeader(columns: readonly ColumnFacts[], hasGuid: boolean): readonly Step[] {
  const ids = columns.filter(({ looksLike }) => looksLike === 'id' || looksLike === 'email');
  const byDifference = ids.toSorted((a, b) => b.different - a.different);
  const uid = ids.find(({ looksLike }) => looksLike === 'email') ?? byDifference[0];
  const [group, ...others] = ids.filter((one) => one !== uid && one.looksLike === 'id');
  const guid = hasGuid || others.length > 0 ? undefined : group;
  const names = columns.map((column) => (column === uid ? 'uid' : column === guid ? 'guid' : '-'));
  const isEmail = uid?.looksLike === 'email';
  const needsGroup = guid === undefined && !hasGuid;
  const naming = shapeOption('columns', names.join(','), { columns: names });
  // A flag without a name may say who is gone.
  const flags = columns.flatMap(({ looksLike, few }, index) =>
    looksLike === 'mark' && few !== undefined ? [{ name: `column_${index + 1}`, few }] : [],
  );
  const which = words`No column is surely groups: call one of them guid in ${naming}, or ${option('guid', 'GROUP')} puts all rows into one.`;
  const seen = words`The users are e-mail addresses; UIDs may not contain @`;
  return [
    {
      text: words`The first line looks like a row, not like a header: ${naming} names the columns; - is one that is not needed.`,
      settings: { shape: { columns: names } },
    },
    ...(isEmail
      ? [
          {
            text: words`${seen}: use ${option('identities', 'FILE')}, a file that has the UID for each address.`,
            needs: 'identities' as const,
          },
        ]
      : []),
    ...(needsGroup ? [{ text: which, needs: 'guid' as const }] : []),
    ...flags.map(({ name, few }) => ({
      text: words`Column ${shown(name)} has ${counted(few)}: if it says who is a member, say so in ${option('where')}.`,
      open: { shape: { where: [{ column: name, is: [OPEN_VALUE] }] } },
    })),
  ];
}
