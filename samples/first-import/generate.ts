import { writeFileSync } from 'node:fs';
import { memberships, type Row } from './generator/memberships.ts';
import { pastedBelow, TYPED_BY_HAND } from './generator/mistakes.ts';
import { sandboxSeed } from './generator/sandbox-seed.ts';

/** Writes members.csv and sandbox.json again, byte for byte: `node samples/first-import/generate.ts`. */

const HEADER = 'Region,Group ID,User ID,Role,On behalf of,Full name,Department,Office';
const WIDTH = 120;

/** The files of this folder that are generated, by name. */
export function generate(): Readonly<Record<'members.csv' | 'sandbox.json', string>> {
  const exported = memberships();
  const lines = [HEADER, ...[...exported, ...pastedBelow(exported)].map(csvLine)];
  for (const [line, text] of TYPED_BY_HAND) lines.splice(line - 1, 0, text);
  return { 'members.csv': `${lines.join('\n')}\n`, 'sandbox.json': `${layout(sandboxSeed(), '')}\n` };
}

function csvLine({ region, guid, uid, role, onBehalfOf, name, department, office }: Row): string {
  const cells = [region, guid, uid, role, onBehalfOf, name, department, office];
  return cells.map((cell) => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',');
}

/** JSON as one reads it: what fits stands on one line, long lists fill their lines. */
function layout(value: object, indent: string): string {
  const flat = JSON.stringify(value).replaceAll('":', '": ').replaceAll('","', '", "').replaceAll('],"', '], "');
  if (flat.length + indent.length <= WIDTH) return flat;
  const inner = `${indent}  `;
  if (Array.isArray(value)) return `[\n${inner}${filled(value, inner)}\n${indent}]`;
  const entries = Object.entries(value).map(([key, item]) => `${inner}"${key}": ${layout(item, inner)}`);
  return `{\n${entries.join(',\n')}\n${indent}}`;
}

/** Ids in lines of at most WIDTH characters. */
function filled(ids: readonly string[], indent: string): string {
  const lines = [''];
  for (const id of ids) {
    const line = `${lines.at(-1)}${lines.at(-1) === '' ? '' : ' '}"${id}",`;
    if (line.length + indent.length <= WIDTH) lines[lines.length - 1] = line;
    else lines.push(`"${id}",`);
  }
  return lines.join(`\n${indent}`).replace(/,$/, '');
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(generate())) writeFileSync(new URL(name, import.meta.url), text);
}
