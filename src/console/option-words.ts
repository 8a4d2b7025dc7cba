/** Texts of the server that name options: on a page, people look for a control. Pure. */

import { LABELS, NAME_LABELS } from '../options/labels.ts';
import type { Problem, Values } from './answers.ts';
import { columnLabel, FIELDS } from './import-words.ts';

/** Options with a value that has a control of its own, or another name there. */
const WITH_VALUE: Values = {
  'userNameFrom=uid': `“${NAME_LABELS.userNameFrom}”`,
  'groupNameFrom=guid': `“${NAME_LABELS.groupNameFrom}”`,
  'identities=FILE': `“${LABELS['identities']}”`,
  'groups=FILE': `“${LABELS['groups']}”`,
};

/** Parts of a shape by their controls, or the names of the groups of controls that have them. */
const OF_SHAPE: Values = {
  headerRow: `“${LABELS['headerRow']}”`,
  columns: '“Header row” set to “there is none”',
  scopeWords: `“${LABELS['scopeWords']}”`,
  where: '“Only some rows”',
  split: '“Several groups or users in a row”',
  wide: '“Several groups or users in a row”',
  templates: '“Make UIDs and GUIDs from columns”',
};

/** Options that no page has. */
const ON_COMMAND_LINE = ['bound', 'waitForQuiet', 'identityUid', 'identityKey', 'groupGuid', 'groupKey', 'maxSource'];

/** A text in which options stand between backticks, with controls in their place. */
export function withControls(text: string) {
  return text.replace(/`(([a-z]+)(?:=([^`]*))?)`/gi, (all, whole, name, value) => {
    if (name === 'map' && value !== undefined) return mapped(value);
    if (name === 'shape' && value !== undefined) return OF_SHAPE[Object.keys(JSON.parse(value))[0] ?? ''] ?? all;
    if (ON_COMMAND_LINE.includes(name))
      return `${flag(name)}${value === undefined ? '' : ` ${value}`} on the command line`;
    const label = LABELS[name];
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

/** A refusal as people can use it. */
export function forPeople<P extends Pick<Problem, 'remedy' | 'onPages'>>(problem: P): P {
  return { ...problem, remedy: withControls(problem.onPages ?? problem.remedy ?? '') };
}

/** A refusal as one text. */
export function saidOf(problem: Pick<Problem, 'detail' | 'remedy' | 'onPages'>) {
  const { detail, remedy = '' } = forPeople(problem);
  return remedy === '' ? detail : `${detail} ${remedy}`;
}

/** A refusal beside the field that it is about, whose name need not be said again. */
export function saidBeside({
  detail,
  field = '',
  ...problem
}: Pick<Problem, 'detail' | 'remedy' | 'onPages' | 'field'>) {
  const named = `${field} is `;
  return saidOf({ ...problem, detail: detail.startsWith(`${named}"`) ? detail.slice(named.length) : detail });
}
