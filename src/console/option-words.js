/** Texts of the server that name options: on a page, people look for a control. Pure. */
import { columnLabel, FIELDS } from './words.js';

/** Options by the labels of their controls. @type {Readonly<Record<string, string>>} */
const CONTROLS = {
  ...{ guid: 'Group', scope: 'Scope', region: 'Region', onBehalfOf: 'Acting user', map: 'Use of column' },
  ...{ format: 'Format', encoding: 'Encoding', delimiter: 'Delimiter', sheet: 'Sheet', files: 'Files of the archive' },
  ...{ headerRow: 'Row of the header', skipLines: 'Lines to skip', scopeWords: 'Words for scopes', recipe: 'Recipe' },
  ...{ identities: 'Identity file', createMap: 'Columns of new users and groups' },
  createUsers: 'Create users the service does not know',
  createGroups: 'Create groups the service does not know',
  reactivate: 'Reactivate users who are deactivated',
  allowUnban: 'Add users who are banned, which lifts their ban',
};

/** Options with a value that has a control of its own, or another name there. @type {Readonly<Record<string, string>>} */
const WITH_VALUE = {
  'userNameFrom=uid': '“Use the UID as the name where there is none”',
  'groupNameFrom=guid': '“Use the GUID as the name where there is none”',
  'columns=uid,guid': '“Header row” set to “there is none”',
  'identities=FILE': '“Identity file”',
};

/** Options that no page has. */
const ON_COMMAND_LINE = ['bound', 'waitForQuiet', 'identityUid', 'identityKey', 'maxSource'];

/** A text in which options stand between backticks, with controls in their place. @param {string} text */
export function withControls(text) {
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

/** `uid=Member No,scope=` → Member No used as “User (UID)” and no column used as “Scope”. @param {string} pairs */
function mapped(pairs) {
  const labels = new Map(/** @type {readonly (readonly [string, string])[]} */ (FIELDS));
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

/** @param {string} name */
function flag(name) {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
