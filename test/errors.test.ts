import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Refusal } from '../src/errors/entry.ts';
import { ERRORS, REFUSAL_CODES } from '../src/errors/errors.ts';
import { RollcallError } from '../src/errors/rollcall-error.ts';
import { SYNC_REASON_CODES } from '../src/features/sync/sync-errors.ts';
import { REASON_CODES } from '../src/imports/reason-codes.ts';
import { errorChapters } from '../tools/errors.ts';

const PROJECT = new URL('..', import.meta.url).pathname;

/** Signals between parts of the program, which no user sees. */
const SIGNALS = new Set([
  'SlowDown', // a job to its queue
  'SendAgain', // the same
  'StagingStopped', // the reason of an abort
  'TakenUpLater', // the reason of a wait
  'Refusal', // a reply of the sandbox
  'NothingLeft', // a retry to its command
  'ApiError', // the answer to a page of the console
  'FieldError', // a form's own
]);

const document = readFileSync(join(PROJECT, 'docs/errors.md'), 'utf8');

const sources = ['src', 'jobs']
  .flatMap((folder) =>
    readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((path) => path.endsWith('.ts'))
  .map((path) => readFileSync(join(PROJECT, path), 'utf8'));

test('every error of rollcall extends RollcallError, so that a command ends with its message and exit code', () => {
  const classes = sources.flatMap((text) => [...text.matchAll(/^(?:export )?class (\w+) extends Error\b/gm)]);
  expect(classes.map(([, name]) => name).filter((name = '') => name !== 'RollcallError' && !SIGNALS.has(name))).toEqual(
    [],
  );
});

test('every code is used', () => {
  const others = sources.filter((source) => !/^export const \w+_ERRORS = \{$/m.test(source)).join('\n');
  expect(Object.keys(ERRORS).filter((code) => !others.includes(`'${code}'`))).toEqual([]);
});

test('an error has the exit code of its code, and a message that ends in the remedy', () => {
  const error = new RollcallError('UNKNOWN_IMPORT', { id: 'x' });
  expect(error).toMatchObject({
    exit: 2,
    what: 'no import has the id "x"',
    remedy: '`rollcall list` shows those that there are',
    message: 'no import has the id "x"; `rollcall list` shows those that there are',
    facts: { id: 'x' },
  });
  expect(error.remedyOn('api')).toBe(ERRORS.UNKNOWN_IMPORT.advice);
  expect(error.remedyOn('page')).toMatch(/the list shows/);
});

test('remedies on pages say nothing of requests', () => {
  const remedies = REFUSAL_CODES.map((code) => {
    const { remedy, advice }: Refusal<never> = ERRORS[code];
    return typeof remedy === 'object' && 'page' in remedy ? remedy.page : advice;
  });
  expect(
    remedies.filter((remedy) => /\b(?:GET|POST|Retry-After|Content-Range|multipart|cursor)\b/.test(String(remedy))),
  ).toEqual([]);
});

test('docs/errors.md is as the table has the errors; `node tools/errors.ts` writes it', () => {
  expect(document.startsWith(errorChapters())).toBe(true);
});

test('docs/errors.md has every code of imports and syncs, and no other', () => {
  const codesOf = (title: string) => {
    const [, section = ''] = document.split(`\n# ${title}\n`);
    return [...(section.split(/^# /m)[0] ?? '').matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code).toSorted();
  };
  expect(codesOf('Codes of syncs')).toEqual([...SYNC_REASON_CODES].toSorted());
  expect(codesOf('Codes of imports')).toEqual([...REASON_CODES].toSorted());
});
