import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FileFacts } from '../../src/api/file-facts.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { writeSettled } from '../settled-file.ts';
import { KNOWN } from './exports/known.ts';
import { LATER } from './exports/later.ts';
import { type ExportShape, PEOPLE } from './exports/shape.ts';
import { UNSEEN } from './exports/unseen.ts';
import { runHere } from './run-here.ts';

/** The command that `inspect` prints for the export of another system, run word by word. */

/** Splits a command like a shell, with the two values that a person adds. */
function filledIn(command: string): string[] {
  const words = command.match(/(?:'[^']*'|[^\s'])+/g) ?? [];
  const values: Record<string, string> = { '<group>': 'g-1', '<people.csv>': 'people.csv' };
  return words.slice(1).map((word) => values[word] ?? word.replaceAll("'", ''));
}

let sandbox: Sandbox;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'real-exports-test-'));
  sandbox = await startSandbox({ users: 'any', groups: 'any', randomSeed: 1, caFile: join(folder, 'ca.pem') });
});

afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

const run = async (args: readonly string[]) => {
  const env = { PATH: process.env['PATH'], ...sandbox.env };
  const ended = await runHere([...args, '--data-dir', join(folder, 'data')], { cwd: folder, env });
  if (ended === undefined) throw new Error('another command runs');
  return ended;
};

/** Runs the command that inspect prints: returns the memberships that were sent, or the refusal. */
async function played({ file, content, people = PEOPLE }: ExportShape) {
  writeSettled(join(folder, file), content);
  writeSettled(join(folder, 'people.csv'), people);
  const { command } = JSON.parse((await run(['inspect', file, '--json'])).stdout) as FileFacts;
  if (command === null) throw new Error('no command is printed');
  const { code, stdout, stderr } = await run([...filledIn(command), '--json']);
  if (stdout === '') return { command, code, refusal: stderr, memberships: [] };
  const { reports } = JSON.parse(stdout) as { reports: { all: string | null } };
  if (reports.all === null) return { command, code, refusal: `${stdout}${stderr}`, memberships: [] };
  const report = readFileSync(reports.all, 'utf8');
  const [, delimiter = ','] = /_status(.)/.exec(report) ?? [];
  const rows = parse(report, { columns: true, bom: true, delimiter }) as Record<string, string>[];
  const sent = rows.filter(({ _status: status }) => status === 'added' || status === 'already_member');
  const memberships = sent.map((row) => `${row['_guid']} ${row['_uid']} ${row['_scope']}`);
  return { command, code, refusal: '', memberships: memberships.toSorted() };
}

test.each([...KNOWN, ...UNSEEN, ...LATER])('$what: the printed command is right, or refuses to run', async (shape) => {
  const { command, code, refusal, memberships } = await played(shape);
  if (shape.right === 'open') {
    expect({ code, memberships }, command).toEqual({ code: 2, memberships: [] });
    expect(refusal, command).toMatch(/<column>|<value>/);
  } else {
    expect(memberships, `${command}\n${refusal}`).toEqual(shape.right.split('\n').toSorted());
  }
});

test('80 exports are tried, and the commands of 72 are right as they are printed', () => {
  const all = [...KNOWN, ...UNSEEN, ...LATER];
  expect(all.length).toBeGreaterThanOrEqual(80);
  expect(all.filter(({ right }) => right !== 'open').length).toBeGreaterThanOrEqual(72);
});
