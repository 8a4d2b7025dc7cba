/** Texts of the server that name options: on a page, people look for a control. Pure. */
import { columnLabel, FIELDS, LOOKUP_WORDS } from './import-words.ts';

/** Options to tick, by their labels. */
export const CREATING_CHECKS = {
  createUsers: 'Create users the service does not know',
  createGroups: 'Create groups the service does not know',
  reactivate: 'Reactivate users who are deactivated',
};
export const BAN_CHECKS = { allowUnban: 'Add users who are banned, which lifts their ban' };

/** Options by the labels of their controls. */
const CONTROLS: Readonly<Record<string, string>> = {
  ...{ guid: 'Group', scope: 'Scope', region: 'Region', onBehalfOf: 'Acting user', map: 'Use of column' },
  ...{ format: 'Format', encoding: 'Encoding', delimiter: 'Delimiter', sheet: 'Sheet', files: 'Files of the archive' },
  ...{ headerRow: 'Row of the header', skipLines: 'Lines to skip', scopeWords: 'Words for scopes', recipe: 'Recipe' },
  ...{
    identities: LOOKUP_WORDS.identities.label,
    groups: LOOKUP_WORDS.groups.label,
    createMap: 'Columns of new users and groups',
  },
  ...CREATING_CHECKS,
  ...BAN_CHECKS,
};

/** Options with a value that has a control of its own, or another name there. */
const WITH_VALUE: Readonly<Record<string, string>> = {
  'userNameFrom=uid': '“Use the UID as the name where there is none”',
  'groupNameFrom=guid': '“Use the GUID as the name where there is none”',
  'columns=uid,guid': '“Header row” set to “there is none”',
  'identities=FILE': `“${LOOKUP_WORDS.identities.label}”`,
  'groups=FILE': `“${LOOKUP_WORDS.groups.label}”`,
};

/** Options that no page has. */
const ON_COMMAND_LINE = ['bound', 'waitForQuiet', 'identityUid', 'identityKey', 'groupGuid', 'groupKey', 'maxSource'];

/** A text in which options stand between backticks, with controls in their place. */
export function withControls(text: string) {
  return text.replace(/`(([a-z]+)(?:=([^`]*))?)`/gi, (all, whole, name, value) => {
    if (name === 'map' && value !== undefined) return mapped(value);
    if (ON_COMMAND_LINE.includes(name))
      return `${flag(name)}${value === undefined ? '' : ` ${value}`} on the command line`;
    const label = CONTROLS[name];
    return (
      WITH_VALUE[whole] ??
      (label === undefined ? all : value === undefined ? `“${label}”` : `“${label}” set to ${value}`)
    );
  });
}

/** `uid=Member No,scope=` → Member No used as “User (UID)” and no column used as “Scope”. */
function mapped(pairs: string) {
  const labels = new Map(FIELDS as readonly (readonly [string, string])[]);
  return pairs
    .split(/,(?=[a-z]+=)/i)
    .map((pair) => {
      const [field = '', ...rest] = pair.split('=');
      const column = rest.join('=');
      const label = `“${labels.get(field) ?? field}”`;
      // The server's word for any column.
      if (column === '<column>') return label;
      return `${column === '' ? 'no column' : columnLabel(column)} used as ${label}`;
    })
    .join(' and ');
}

function flag(name: string) {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
