import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { asFlag, asParameter, option, shapeOption, words, written } from '../src/errors/named-options.ts';

const REMEDY = words`Correct ${option('onBehalfOf')}, or say ${option('map', 'uid=Member No')}`;

test('an option is written as each surface has it', () => {
  expect(written(REMEDY, asFlag)).toBe('Correct --on-behalf-of, or say --map "uid=Member No"');
  expect(written(REMEDY, asParameter)).toBe('Correct `onBehalfOf`, or say `map=uid=Member No`');
  expect(written('Check the path', asFlag)).toBe('Check the path');
});

test('a part of a shape is a flag for the shell, and JSON for the API', () => {
  const naming = words`Name them: ${shapeOption('columns', 'uid,guid', { columns: ['uid', 'guid'] })}; else ${option('headerRow')}`;
  expect(written(naming, asFlag)).toBe('Name them: --columns uid,guid; else --header-row');
  expect(written(naming, asParameter)).toBe(
    'Name them: `shape={"columns":["uid","guid"]}`; else `shape={"headerRow":3}`',
  );
});

test('texts in a text keep their options, and all of it survives JSON', () => {
  const longer = words`${REMEDY}; ${'or nothing'}`;
  expect(written(JSON.parse(JSON.stringify(longer)), asParameter)).toBe(
    'Correct `onBehalfOf`, or say `map=uid=Member No`; or nothing',
  );
});

test('a shell reads a value as it was meant', () => {
  for (const value of [
    'plain',
    'Member No',
    "the $rank's",
    'a"b',
    'back`tick',
    'back\\slash',
    '<column>',
    'über',
    '!',
  ]) {
    const flag = asFlag(option('map', value));
    expect(execFileSync('sh', ['-c', `printf '[%s]' ${flag}`], { encoding: 'utf8' })).toBe(`[--map][${value}]`);
  }
});
