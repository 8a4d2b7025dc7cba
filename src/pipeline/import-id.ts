import { randomInt } from 'node:crypto';

const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** A new import id such as 20261120-160503-k3f: sorts by time, can be typed, has no colon (job ids may not). */
export function newImportId(now = new Date()): string {
  const digits = now.toISOString().replace(/\D/g, '');
  const tail = Array.from({ length: 3 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return `${digits.slice(0, 8)}-${digits.slice(8, 14)}-${tail}`;
}
