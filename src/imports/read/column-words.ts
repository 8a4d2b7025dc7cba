/** Words in the names of columns. */

import { listed, shown } from './intake-error.ts';
import type { IntakeNote } from './notes.ts';

/** `memberObjectId`, `Member #` and `user.id` in small words; of a URN its last parts. */
export function wordsOf(name: string): string {
  return name
    .normalize('NFC')
    .replace(/^urn:.*:(?=[^:]+:[^:]+$)/i, '')
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1 ')
    .replaceAll('#', ' number ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .join(' ')
    .trim();
}

/** Finds one of these words or phrases in a text of small words; `…` stands for any letters, `$` for the end of the text. */
export function mentions(list: string): (text: string) => boolean {
  const words = list.split(', ').join('|').replaceAll('…', '[\\p{L}\\p{N}]*');
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`, 'u');
  return (text) => pattern.test(text);
}

const saysRole = mentions(
  'role, roles, scope, permission, permissions, rights, access level, max role, position, rolle, funktion, rôle, ruolo, rol, função, papel, affiliation',
);
const isOfOther = mentions('site, job, date, email');

/** Whether a name says that the column has what a member may do. Only its values say whether it does. */
export function isRole(name: string): boolean {
  const words = wordsOf(name);
  return saysRole(words) && !isOfOther(words);
}

/** The note about columns that are called so. @param names of columns that are not read */
export function scopesNotRead(names: readonly string[]): IntakeNote[] {
  const found = names.filter((name) => !name.startsWith('_') && isRole(name));
  const [first] = found;
  if (first === undefined) return [];
  const text = `Columns that may hold scopes are not read: ${listed(found)}. If one does, read it as the scope (map ${shown(`scope=${first}`)})`;
  return [{ code: 'SCOPES_NOT_READ', text }];
}
