import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { COMMANDS } from '../../src/cli/commands.ts';
import { helpTopics } from '../../src/cli/topics.ts';
import { openWorkplace } from './workplace.ts';

test('help explains topics: settings, exit codes, and every document', async () => {
  const place = await openWorkplace();
  const settings = await place.run(['help', 'settings']);
  expect([settings.code, settings.stdout]).toEqual([0, expect.stringMatching(/^# Settings\n[\s\S]*ROLLCALL_HOST/)]);
  const codes = await place.run(['help', 'exit-codes']);
  expect(codes.stdout).toContain('| 5 |');
  const files = await place.run(['help', 'files']);
  expect(files.stdout).toMatch(/^# Files\n/);
});

test('a topic that does not exist is refused with those that do', async () => {
  const place = await openWorkplace();
  const { code, stderr } = await place.run(['help', 'weather']);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/"weather"[\s\S]*\n {2}settings +Settings\n/)]);
  const topics = await place.run(['help', 'topics']);
  expect(topics.code).toBe(0);
  for (const { name, title } of helpTopics())
    expect(topics.stdout).toMatch(new RegExp(`^ {2}${name} {2,}${title}$`, 'm'));
});

test('every topic has a title, a text and a name that no command has', () => {
  const topics = helpTopics();
  expect(topics.length).toBeGreaterThan(5);
  for (const { name, title, text } of topics) {
    expect(Object.keys(COMMANDS)).not.toContain(name);
    expect([title, text()]).toEqual([expect.stringMatching(/\w/), expect.stringContaining(title)]);
    expect(text()).not.toContain('<!--');
  }
});

test('help of a command stays what it was', async () => {
  const place = await openWorkplace();
  expect((await place.run(['help', 'import'])).stdout).toContain('rollcall import');
});

test('version says what rollcall is and runs on, for people and for programs', async () => {
  const place = await openWorkplace();
  const { stdout } = await place.run(['version']);
  expect(stdout).toContain(`rollcall ${packageJson.version}\nnode ${process.versions.node}`);
  const { code, stdout: document } = await place.run(['version', '--json']);
  expect([code, JSON.parse(document)]).toEqual([
    0,
    expect.objectContaining({ version: packageJson.version, node: process.versions.node, sources: true }),
  ]);
});
