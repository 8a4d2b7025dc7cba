import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Refusal } from '../src/errors/entry.ts';
import { ERRORS, type ErrorCode, type FactsOf, REFUSAL_CODES } from '../src/errors/errors.ts';
import { asFlag, asParameter, written } from '../src/errors/named-options.ts';
import { RollcallError } from '../src/errors/rollcall-error.ts';
import { SYNC_REASON_CODES } from '../src/features/sync/kept-sync.ts';
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
  'ApiError', // the answer to a page of the console
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

/** Facts of each error whose sentence the table makes. */
const EXAMPLES: { readonly [Code in ErrorCode]?: FactsOf<Code> } = {
  BAD_CURSOR: { cursor: 'x7' },
  ROLE_TOO_LOW: { name: 'ann', role: 'operator', needed: 'admin' },
  CROSS_ORIGIN: { origin: 'https://a.example', host: 'b.example' },
  WRONG_HOST: { host: 'b.example' },
  TWO_HOSTS: { hosts: 2 },
  METHOD_NOT_ALLOWED: { path: '/v1/imports', method: 'PUT', possible: [] },
  UNKNOWN_ROW: { id: '17', row: 9 },
  UNKNOWN_TOKEN: { id: 'x7' },
  NO_ROWS_YET: { id: '17' },
  NO_PLAN_YET: { id: 's17', state: 'planning', reason: 'it is read' },
  LAST_ADMIN: { name: 'ann' },
  NOTIFY_FIXED: { host: 'b.example' },
  KEY_IN_USE: { key: 'k' },
  KEY_REUSED: { key: 'k', how: 'for another file' },
  TOO_LARGE: { maxBytes: 1024 },
  TOO_MANY: { attempts: 10, seconds: 60 },
  INTERNAL: { id: 'x7' },
  UNKNOWN_IMPORT: { id: '17' },
  UNKNOWN_SYNC: { id: 's17' },
  UNKNOWN_EXPORT: { id: 'e17' },
  UNKNOWN_SCHEDULE: { name: 'nightly' },
  UNKNOWN_RECIPE: { name: 'hr', names: ['okta', 'entra'] },
  NO_IMPORTS: { where: 'in /data' },
  NOTHING_TO_SEND: { id: '17', state: 'completed', why: 'has no such row', possible: [] },
  SYNC_HELD: { id: 's17', reason: 'too many removals' },
  CANNOT_UNDO: { importId: '17', why: 'nothing was sent' },
  CANNOT_CHECK: { id: '17', why: 'a sync made it' },
  NO_CHECK_YET: { id: '17', why: 'has no check' },
  CREATES_NOTHING: { id: '17' },
  REGION_WITHOUT_APP: { regions: ['eu'], of: 'rows' },
  TOO_MANY_REMOVALS: { id: '17', removals: 120, allowed: 100 },
  EDITED_MEANWHILE: { name: 'nightly', version: 3, given: 2 },
  SCHEDULE_RUNNING: { name: 'nightly', dueAt: '2026-01-05T02:00:00Z', reason: 'it plans', syncId: 's17' },
  RECIPE_NEEDS: { name: 'hr', field: 'guid', why: 'the file has no group' },
  UNKNOWN_SCOPE: { uid: 'ann', scope: 'owner' },
  TOO_MANY_ROWS: { max: 1_048_575 },
  FLAG_NEEDS: { flag: '--wide-guid', needs: '--wide' },
  FLAG_FOR_ADDRESS: { flag: '--header', place: 'the file' },
  OUTPUT_EXISTS: { place: 'm.csv' },
  OUTPUT_FAILED: { document: 'the report', why: 'the disk is full' },
  BAD_SETTING: { name: 'ROLLCALL_REGION', value: 'mars', allowed: 'are us, eu, in' },
  BAD_FAULT: { text: 'slow', problem: 'it needs milliseconds' },
  PACKAGE_MISSING: { use: 'queues', packages: ['bullmq'], install: 'npm ci' },
  DATA_DIR_COPIED: { root: '/b', place: '/a', adopt: 'rollcall doctor --adopt' },
  DATA_DIR_IN_USE: { root: '/a', address: 'http://127.0.0.1:7700' },
  AWAY: { url: 'http://127.0.0.1:7700', why: 'connection refused' },
  NO_ROLLCALL: { url: 'http://127.0.0.1:7700', why: 'it answers 502' },
  MOVED: { url: 'http://127.0.0.1:7700', location: 'https://rollcall.example' },
  DATA_DIR_UNUSABLE: { root: '/a', why: 'it is a file' },
  UNKNOWN_LEDGER: { path: '/a/x.sqlite' },
  LEDGER_MISSING: { path: '/a/x.sqlite', remedy: 'put it back' },
  CATALOG_INTACT: { catalog: '/a/catalog.sqlite' },
  DATABASE_BUSY: { path: '/a/x.sqlite' },
  INTERRUPTED: { path: '/a/x.sqlite' },
  DISK_FULL: { needed: 2_000_000, free: 1_000_000 },
  TOO_FEW_FILES: { limit: 40, needed: 512, enough: 1024 },
  REFUSED: { httpStatus: 403, serviceCode: 'AUTH_ERR', serviceMessage: 'no such key', rate: {} },
  SERVICE_REFUSED: { region: 'eu', code: 'AUTH_ERR', message: 'no such key' },
  SERVICE_AWAY: { region: 'eu', message: 'it does not answer' },
  UNTRUSTED_LISTING: { list: 'members of "g1"', problem: 'it changed', readings: 3 },
};

/** Facts that are for programs, or that the sentence writes in another way. */
const NOT_SHOWN: Readonly<Record<string, readonly string[]>> = {
  TOO_MANY_REMOVALS: ['id'],
  REGION_WITHOUT_APP: ['of'],
  SCHEDULE_RUNNING: ['dueAt'],
  DISK_FULL: ['needed', 'free'],
  REFUSED: ['rate'],
};

test.each(Object.entries(ERRORS))(
  '%s says its facts, with a next step on each surface',
  (code, { sentence, title }) => {
    const facts: unknown = EXAMPLES[code as ErrorCode] ?? (sentence === undefined ? { what: title } : {});
    const error = new RollcallError(code as ErrorCode, facts as FactsOf<ErrorCode>);
    const [onApi = '', onPage = ''] = [error.remedyOn('api'), error.remedyOn('page')];
    const texts = [error.message, written(onApi, asParameter), written(onPage, asParameter)];
    expect(texts.join('\n')).not.toMatch(/undefined|null|\[object|NaN/);
    expect(error.message).toMatch(/^\S.*\S$/);
    if (REFUSAL_CODES.some((one) => one === code)) expect(written(onApi, asFlag)).not.toBe('');
    const shown = Object.entries(facts as object).filter(([name]) => !NOT_SHOWN[code]?.includes(name));
    for (const value of shown.flatMap(([, one]) => one as string | number | string[])) {
      expect(error.message).toContain(String(value));
    }
    // A sentence that takes facts has an example.
    const takesFacts = typeof sentence === 'string' ? sentence.includes('{') : (sentence?.length ?? 0) > 0;
    expect(!takesFacts || code in EXAMPLES).toBe(true);
    expect(error.message).not.toMatch(/\{"?\w+"?\}/);
  },
);

test.each(Object.keys(ERRORS))(
  '%s of a server that a command asked needs no facts, because the server has said it',
  (code) => {
    const error = new RollcallError<string>(code, { what: 'as the server says it', remedy: 'do this', exit: 4 });
    expect(error).toMatchObject({ code, exit: 4, message: 'as the server says it; do this' });
  },
);

test('remedies on pages say nothing of requests', () => {
  const remedies = REFUSAL_CODES.map((code) => {
    const { page, advice }: Refusal<never> = ERRORS[code];
    return page ?? advice;
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
