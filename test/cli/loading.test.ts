import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Command, Help } from 'commander';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { members, openSandboxPlace } from './workplace.ts';

const PROJECT = new URL('../..', import.meta.url).pathname;

/** Writes the address of every module that a process loads, as a last line of JSON on standard error. */
const HOOK = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
  process.on('exit', () => process.stderr.write('\\n' + JSON.stringify(loaded)));
`)}`;

/** Returns the modules that a command line loads: npm packages, and folders of the source. */
async function loadedBy(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const command = ['--import', HOOK, join(PROJECT, 'bin/rollcall.js'), ...args];
  const options = { cwd: PROJECT, env: { ...process.env, ...env } };
  const { stderr } = await promisify(execFile)(process.execPath, command, options);
  const loaded = JSON.parse(stderr.slice(stderr.lastIndexOf('\n'))) as string[];
  expect(loaded.length).toBeGreaterThan(5);
  const firstOf = (pattern: RegExp) => new Set(loaded.flatMap((url) => pattern.exec(url)?.[1] ?? []));
  return {
    loaded,
    packages: firstOf(/\/node_modules\/((?:@[^/]+\/)?[^/]+)/),
    folders: firstOf(/\/(src\/(?:imports\/|features\/|chat\/(?=service\/))?[a-z]+|jobs)\//),
  };
}

describe('only what a command needs is loaded', () => {
  test('for help: the list of commands', async () => {
    const { packages, folders } = await loadedBy(['--help']);
    expect([...packages]).toEqual(['commander']);
    for (const folder of [
      'src/imports/record',
      'src/imports/report',
      'src/queue',
      'src/imports/read',
      'src/chat',
      'src/features/sync',
      'src/server',
      'jobs',
    ]) {
      expect(folders).not.toContain(folder);
    }
  });

  test('to look at imports: what reads the data directory', async () => {
    const place = await openSandboxPlace();
    await place.run(['import', place.file('m.csv', members([['g', 'ann']])), '--dry-run']);
    for (const verb of ['list', 'status']) {
      const { loaded, packages, folders } = await loadedBy([verb, '--data-dir', place.dataDir]);
      expect(loaded).not.toContain('node:http');
      expect([...packages].toSorted()).toEqual(['commander', 'zod']);
      expect(folders).toContain('src/imports/report');
      for (const folder of ['src/queue', 'src/chat', 'src/features/sync', 'jobs']) {
        expect(folders).not.toContain(folder);
      }
    }
  });

  test('for a worker: what sends, and nothing of a coordinator', async () => {
    const { loaded, folders } = await loadedBy(['worker', '--help']);
    expect(folders).toContain('src/imports/send');
    for (const folder of ['stage', 'report', 'check', 'correct', 'inspect']) {
      expect(folders).not.toContain(`src/imports/${folder}`);
    }
    // The document that a worker writes and a coordinator reads.
    const recording = loaded.filter((url) => url.includes('/src/imports/record/'));
    expect(recording.filter((url) => !url.endsWith('/batch-result.ts'))).toEqual([]);
  });
});

test('the sandbox loads nothing that sends', async () => {
  const { packages } = await loadedBy(['sandbox', '--help']);
  expect([...packages].toSorted()).toEqual(['commander', 'zod']);
});

test('an import loads what reads, sends and reports, and nothing else', async () => {
  const place = await openSandboxPlace();
  const file = place.file('m.csv', members([['g', 'ann']]));
  const { loaded, packages, folders } = await loadedBy(['import', join(place.root, file)], place.env);
  expect([...packages]).toContain('zod');
  expect([...packages].filter((name) => /opentelemetry|otel|nodemailer|bullmq|ioredis/.test(name))).toEqual([]);
  for (const folder of ['src/features/sync', 'src/features/recipes', 'src/features/inspect']) {
    expect(folders).not.toContain(folder);
  }
  // Adapters are for addresses.
  expect(loaded.filter((url) => url.includes('/src/sources/'))).toEqual([]);
  // All of undici is twice as much.
  expect(loaded.filter((url) => url.includes('/undici/')).length).toBeLessThan(40);
  // A file that names faults is for the flags.
  expect(loaded.filter((url) => url.includes('/src/sandbox/') && !url.endsWith('/injected-faults.ts'))).toEqual([]);
});

test.each(Object.entries(COMMANDS))(
  'the list of commands shows %s with its own name and usage',
  async (name, { usage = '[options]', load }) => {
    const command = (await load())[`${name}Command`]?.(() => async () => {}) ?? new Command();
    expect(command.name()).toBe(name);
    expect(new Help().subcommandTerm(command)).toBe(`${name} ${usage}`.trim());
  },
);
