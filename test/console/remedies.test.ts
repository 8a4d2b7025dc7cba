import { expect, test } from 'vitest';
import { PROBLEMS } from '../../src/api/problems.ts';
import { forPeople, saidOf } from '../../src/console/remedies.js';

test.each(Object.values(PROBLEMS).map(({ remedy }) => [remedy]))(
  '%s says nothing of requests in the console',
  (remedy) => {
    expect(forPeople({ remedy }).remedy).not.toMatch(/`|\b(?:GET|POST|Retry-After|Content-Range|multipart|cursor)\b/);
  },
);

test('what is said of one request in particular stays as it is, and a refusal is one text', () => {
  expect(saidOf({ detail: 'There is such a schedule.', remedy: 'Take another name.' })).toBe(
    'There is such a schedule. Take another name.',
  );
  expect(saidOf({ detail: 'tz is missing.', remedy: PROBLEMS.BAD_OPTION.remedy })).toBe('tz is missing.');
});
