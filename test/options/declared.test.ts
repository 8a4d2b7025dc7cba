import { readdirSync } from 'node:fs';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { queryOf, writtenShape } from '../../src/api/fields.ts';
import { withOptions } from '../../src/cli/flags/flags.ts';
import { newSchedule } from '../../src/features/schedule/operations.ts';
import { importOptions } from '../../src/imports/import-options.ts';
import { CREATION, createOptions, createOptionsOf } from '../../src/options/create-options.ts';
import { CHOICES, LABELS } from '../../src/options/labels.ts';
import { type Options, textsOf, valuesOf, writtenOf } from '../../src/options/option.ts';
import { READING, SHAPE } from '../../src/options/reading-options.ts';
import { ROW_FILTER } from '../../src/options/row-filter.ts';
import { EXPECTING, GIVING_UP, REMOVING, STOPPING, TRIAL } from '../../src/options/sending-options.ts';
import { shapeSettings } from '../../src/options/shape.ts';
import { joined } from '../../src/platform/defined.ts';
import { uploadQuery } from '../../src/server/uploads/upload-options.ts';

const KEPT = { ...READING, ...SHAPE, ...EXPECTING, ...STOPPING, ...GIVING_UP, ...REMOVING, ...TRIAL };

/** Every option of a module of src/options: an export whose values all are declarations is a group of them. */
async function declaredIn(file: string): Promise<Options> {
  const groups = Object.values<unknown>(await import(`${OPTIONS}${file}`)).filter(
    (one): one is Options =>
      typeof one === 'object' &&
      one !== null &&
      Object.values(one).length > 0 &&
      Object.values(one).every((declared) => typeof declared?.parse === 'function' && 'schema' in declared),
  );
  return Object.assign({}, ...groups);
}

const OPTIONS = new URL('../../src/options/', import.meta.url).pathname;
const files = readdirSync(OPTIONS).toSorted();
const found = await Promise.all(files.filter((file) => file !== 'row-filter.ts').map(declaredIn));
// Those that choose rows have names of their own beside the options of reading.
const { status, code, text, line, problemColumn, check } = ROW_FILTER;
const ALL: Options = Object.assign({ status, code, text, line, problemColumn, check }, ...found);

/** For each option a text that people write, and what is kept of it. */
const EXAMPLES: Readonly<Record<string, readonly [text: string, kept: unknown]>> = {
  guid: ['team-1', 'team-1'],
  scope: ['moderator', 'moderator'],
  region: ['eu', 'eu'],
  within: ['14d', 1_209_600_000],
  onBehalfOf: ['anna', 'anna'],
  until: ['90d', '90d'],
  map: ['uid=Member ID, old,guid=Team', { uid: 'Member ID, old', guid: 'Team' }],
  sheet: ['2', '2'],
  files: ['members*.csv,{a,b}.json,one\\, two.csv', ['members*.csv', '{a,b}.json', 'one, two.csv']],
  format: ['ndjson', 'ndjson'],
  encoding: ['windows-1252', 'windows-1252'],
  delimiter: ['tab', '\t'],
  bound: ['columns=5000,element=64mb', { columns: 5_000, element: 64 * 1024 ** 2 }],
  waitForQuiet: ['90s', 90_000],
  shape: ['{"split":{"guid":";"}}', { split: { guid: ';' } }],
  expectRows: ['40', 40],
  minRows: ['90%', { percent: 90 }],
  maxCalls: ['500', 500],
  status: ['failed,invalid', ['failed', 'invalid']],
  code: ['BANNED', 'BANNED'],
  text: ['anna', 'anna'],
  line: ['120-150', { from: 120, to: 150 }],
  problemColumn: ['scope', 'scope'],
  check: ['fail:BANNED', 'fail:BANNED'],
  maxErrors: ['5%', { percent: 5 }],
  giveUpAfter: ['30m', 1_800_000],
  maxRemovals: ['0', 0],
  first: ['10', 10],
  only: [
    'guid=g1|g2,uid=anna',
    [
      { field: 'guid', is: ['g1', 'g2'] },
      { field: 'uid', is: ['anna'] },
    ],
  ],
  createMap: ['name=Full Name,group_name=', { name: 'Full Name', group_name: '' }],
  userNameFrom: ['uid', 'uid'],
  groupNameFrom: ['guid', 'guid'],
  userRole: ['staff', 'staff'],
  groupType: ['private', 'private'],
  groupOwner: ['anna', 'anna'],
  groupIcon: ['https://example.com/i.png', 'https://example.com/i.png'],
  groupDescription: ['All of us', 'All of us'],
  maxCreate: ['users=500,groups=5%', { users: { count: 500 }, groups: { percent: 5 } }],
  adopt: ['20260301-040501-abc', ['20260301-040501-abc']],
  syncName: ['nightly', 'nightly'],
  mode: ['mirror', 'mirror'],
  missing: ['ban', 'ban'],
  whose: ['ours', 'ours'],
  left: ['keep-out', 'keep-out'],
  changed: ['keep', 'keep'],
  protect: ['anna,bob', ['anna', 'bob']],
  removeNamed: ['anna', ['anna']],
  cron: ['30 2 * * *', '30 2 * * *'],
  tz: ['Europe/Rome', 'Europe/Rome'],
};

const flagOf = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

describe.each(Object.entries(ALL))('the option %s', (name, declared) => {
  const [text, value] = EXAMPLES[name] ?? ['true', true];
  const option = { [name]: declared };

  test('is read as its flag and as its parameter alike', () => {
    const command = withOptions(new Command().exitOverride(), option);
    const { value: placeholder, off } = declared;
    // An option that is on by default only has a flag that turns it off.
    const flag = off === undefined ? flagOf(name) : flagOf(name).replace('--', '--no-');
    command.parse(placeholder === undefined ? [flag] : [flag, text], { from: 'user' });
    expect(command.opts()[name]).toEqual(off === undefined ? value : false);
    expect(z.object(queryOf(option)).parse({ [name]: text })).toEqual({ [name]: value });
    expect(declared.schema.parse(value)).toEqual(value);
  });

  test('is sent to a server as a text that says the same', () => {
    const texts = textsOf(option, { [name]: value });
    const parsed = texts.map(([, one]) => declared.parse(one));
    if (declared.off === undefined) expect(declared.repeats ? joined(parsed) : parsed[0]).toEqual(value);
    else expect(textsOf(option, { [name]: false })).toEqual([[name, 'false']]);
  });

  test('is kept by a schedule as one text that says the same', () => {
    const written = z.object(writtenShape(option)).parse(writtenOf(option, { [name]: value }));
    expect(valuesOf(option, written)).toEqual({ [name]: value });
  });
});

test('an import keeps each option of reading and sending under its name, and what it may create likewise', () => {
  const names = (options: Options) => Object.entries(options).map(([name, { kept = name }]) => kept);
  expect(Object.keys(importOptions.shape)).toEqual(expect.arrayContaining(names(KEPT)));
  expect(Object.keys(createOptions.shape).toSorted()).toEqual(names(CREATION).toSorted());
});

test('nothing is created by options that only say how', () => {
  expect(createOptionsOf({ userRole: 'staff' })).toBeUndefined();
});

test('a text that is no value is refused with the same words everywhere', () => {
  const option = { maxErrors: STOPPING.maxErrors };
  const said = 'a number of rows, such as 100, or a share of them, such as 5%';
  const command = withOptions(new Command().exitOverride().configureOutput({ writeErr: () => {} }), option);
  expect(() => command.parse(['--max-errors', 'few'], { from: 'user' })).toThrow(`Expected ${said}.`);
  const { error } = z.object(queryOf(option)).safeParse({ maxErrors: 'few' });
  expect(error?.issues[0]?.message).toBe(`allowed is ${said}`);
});

test('a form offers values that its option takes, and its default first', () => {
  for (const [name, offered] of Object.entries(CHOICES)) {
    const { choices = [], preset = offered[0], help } = ALL[name] ?? {};
    expect(choices, help).toEqual(expect.arrayContaining([...offered]));
    expect(preset, help).toContain(offered[0]);
  }
});

test('each label of a form is that of an option', () => {
  const options = [ALL, uploadQuery.shape, newSchedule.shape, shapeSettings.shape].flatMap(Object.keys);
  expect(options).toEqual(expect.arrayContaining(Object.keys(LABELS)));
});
