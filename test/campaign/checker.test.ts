import { expect, test } from 'vitest';
import { check, foretellings, type Order } from './checker.ts';
import type { JournalLine } from './service.ts';

const order = (uid: string, fate: Order['fate'] = 'in place'): Order => {
  return { region: 'us', guid: 'g', uid, scope: 'participant', onBehalfOf: '', fate };
};
const did = (uid: string, what: JournalLine['did']): JournalLine => {
  return { call: 1, at: 0, group: 'us/g', list: 'participants', uid, did: what };
};
const report = (...rows: readonly [row: number, status: string][]): string =>
  `_row,_status\n${rows.map(([row, status]) => `${row},${status}\n`).join('')}`;

test('a report that agrees with the journal has nothing wrong', () => {
  const orders = [order('a'), order('b', 'member before'), order('c', 'refused')];
  const text = report([2, 'added'], [3, 'already_member'], [4, 'failed']);
  const verdict = check(orders, text, [did('a', 'added'), did('b', 'again'), did('c', 'unknown-user')]);
  expect(verdict).toMatchObject({ lost: 0, twice: 0, wrong: [], givenUp: 0, unconfirmed: 0, duplicateAdds: 0 });
});

test('rows that are missing, told twice, untrue or given up are each counted', () => {
  const orders = [order('a'), order('b'), order('c'), order('d'), order('e')];
  const text = report([2, 'added'], [2, 'added'], [3, 'added'], [4, 'failed'], [5, 'unprocessed']);
  const journal = [did('a', 'added'), did('a', 'again'), did('d', 'added'), did('d', 'repeated')];
  const verdict = check(orders, text, journal);
  expect(verdict).toMatchObject({ lost: 1, twice: 1, givenUp: 2, duplicateAdds: 2 });
  expect(verdict.wrong).toHaveLength(2);
});

test('a row that comes to something else than its check said is found', () => {
  const found = 'row,check,code\n2,add,\n3,fail,ERR_UID_NOT_FOUND\n4,not_checked,\n5,add,\n';
  const text = report([2, 'added'], [3, 'failed'], [4, 'failed'], [5, 'failed']);
  expect(foretellings(found, text)).toHaveLength(1);
});
