import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ERROR_CODES } from '../src/errors/error-codes.ts';
import { RollcallError } from '../src/errors/rollcall-error.ts';
import { SYNC_REASON_CODES } from '../src/features/sync/sync-errors.ts';
import { REASON_CODES } from '../src/imports/reason-codes.ts';

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

test('every code of the catalogue is used', () => {
  const text = sources.filter((source) => !source.includes('export const ERROR_CODES')).join('\n');
  expect(Object.keys(ERROR_CODES).filter((code) => !text.includes(`'${code}'`))).toEqual([]);
});

test('an error has its class as name, the kind of its code, and a message that ends in the remedy', () => {
  class Lost extends RollcallError {}
  const error = new Lost('UNKNOWN_IMPORT', 'no import has the id "x"', { remedy: 'look it up', facts: { id: 'x' } });
  expect(error).toMatchObject({
    name: 'Lost',
    kind: 'usage',
    what: 'no import has the id "x"',
    remedy: 'look it up',
    message: 'no import has the id "x"; look it up',
    facts: { id: 'x' },
  });
  expect(new RollcallError('ERR_OF_A_SERVER', 'x', { kind: 'fatal' })).toMatchObject({ kind: 'fatal' });
});

test('docs/errors.md has every code of commands, imports and syncs, and no other', () => {
  const text = readFileSync(join(PROJECT, 'docs/errors.md'), 'utf8');
  const codesOf = (title: string) => {
    const [, section = ''] = text.split(`\n# ${title}\n`);
    return [...(section.split(/^# /m)[0] ?? '').matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code).toSorted();
  };
  expect(codesOf('Codes of commands')).toEqual(Object.keys(ERROR_CODES).toSorted());
  expect(codesOf('Codes of syncs')).toEqual([...SYNC_REASON_CODES].toSorted());
  expect(codesOf('Codes of imports')).toEqual([...REASON_CODES].toSorted());
});
