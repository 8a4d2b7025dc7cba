import { expect, test } from 'vitest';
import { saidBeside, saidOf, withControls } from '../../src/console/option-words.ts';
import { asParameter } from '../../src/errors/named-options.ts';
import { adviceFor } from '../../src/imports/report/verdict.ts';

test('a refusal is one text, with the remedy for pages if it has one', () => {
  const said = { detail: 'There is such a schedule.', remedy: 'Take another name.' };
  expect(saidOf(said)).toBe('There is such a schedule. Take another name.');
  expect(saidOf({ ...said, onPages: 'Look again.' })).toBe('There is such a schedule. Look again.');
  expect(saidOf({ ...said, onPages: '' })).toBe('There is such a schedule.');
});

test.each([
  ['UNKNOWN_SCOPE', 'import the file again with no column used as “Scope”'],
  ['USER_DEACTIVATED', 'with “Reactivate users who are deactivated”'],
  ['NO_NAME', 'with “Use the UID as the name where there is none” or “Use the GUID as the name where there is none”'],
  ['BANNED', 'with “Add users who are banned, which lifts their ban”'],
  ['UNKNOWN_MARK', 'with “Words of the scope column”'],
])('the advice for %s names the control of a page, not an option', (code, text) => {
  const advice = withControls(adviceFor('failed', code, asParameter));
  expect(advice).toContain(text);
  expect(advice).not.toContain('`');
});

test.each([
  ['use `format=ndjson`', 'use “Format” set to ndjson'],
  ['with `map=uid=Member No,scope=`', 'with Member No used as “User (UID)” and no column used as “Scope”'],
  ['with `map=uid=<column>,guid=<column>`', 'with “User (UID)” and “Group (GUID)”'],
  ['allow more with `bound=columns=5000`', 'allow more with --bound columns=5000 on the command line'],
  ['run `rollcall token create`', 'run `rollcall token create`'],
])('%s: %s', (text, shown) => {
  expect(withControls(text)).toBe(shown);
});

test('beside a field, its name is not said again', () => {
  const problem = { field: 'maxErrors', detail: 'maxErrors is "x%": allowed is a number of rows.' };
  expect(saidBeside({ ...problem, remedy: 'Fix it.', onPages: '' })).toBe('"x%": allowed is a number of rows.');
  expect(saidBeside({ field: 'tz', detail: 'tz is missing.' })).toBe('tz is missing.');
});
