import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { LAUNCHER, members, openSandboxPlace, openWorkplace, type Workplace } from './workplace.ts';

/** Returns the completions after these words; the last one is being typed. */
async function offered(place: Workplace, ...typed: readonly string[]) {
  const { code, stdout, stderr } = await place.run(['complete', '--', ...typed]);
  expect([code, stderr]).toEqual([0, '']);
  const [kind, ...lines] = stdout.trimEnd().split('\n');
  return { files: kind === 'files', words: lines.map((line) => line.split('\t')[0]) };
}

describe('completion offers', () => {
  test.each<[typed: readonly string[], words: readonly string[], files: boolean]>([
    [['re'], ['recipes', 'resume', 'retry', 'report'], false],
    [['import', ''], [], true],
    [['import', '--dr'], ['--dry-run'], false],
    [['import', '--scope', ''], ['admin', 'moderator', 'participant', 'ban'], false],
    [['import', '--scope=p'], ['--scope=participant'], false],
    [['import', '--scope', '=', 'p'], ['participant'], false],
    [['import', '--scope', '='], ['admin', 'moderator', 'participant', 'ban'], false],
    [['import', '--sandbox-seed', ''], [], true],
    [['import', '--guid', ''], [], false],
    [['import', '--recipe', 'sl'], ['slack-export'], true],
    [['schedule', 'add', '--recipe=sl'], ['--recipe=slack-export'], true],
    [['schedule', 'ad'], ['add'], false],
    [['schedule', 'add', '--mo'], ['--mode'], false],
    [['completion', ''], ['bash', 'zsh', 'fish'], false],
    [['help', 'sett'], ['settings'], false],
    [['status', ''], [], false],
    [['no-such-command', ''], [], false],
    [['constructor', ''], [], false],
  ])('%j: %j, files: %j', async (typed, words, files) => {
    expect(await offered(await openWorkplace(), ...typed)).toEqual({ files, words });
  });

  // zsh shows a word with an empty meaning as `admin --`.
  test('no meaning where there is none', async () => {
    const place = await openWorkplace();
    expect((await place.run(['complete', '--', 'import', '--scope', 'a'])).stdout).toBe('words\nadmin\n');
  });

  test('no command that is for programs', async () => {
    const { words } = await offered(await openWorkplace(), '');
    expect(words).toContain('import');
    expect(words).not.toContain('complete');
  });

  test('ids of imports, the newest first, of the data directory that the line names', async () => {
    const place = await openSandboxPlace();
    const { summary } = await place.summary(['import', place.file('m.csv', members([['g', 'ann']]))]);
    for (const command of ['status', 'report', 'undo']) {
      expect(await offered(place, command, '')).toEqual({ files: false, words: [summary.id] });
    }
    expect(await offered(place, 'status', summary.id.slice(0, 8))).toEqual({ files: false, words: [summary.id] });
    expect(await offered(place, 'status', '--data-dir', place.root, '')).toEqual({ files: false, words: [] });
    expect(await offered(place, 'token', 'revoke', '')).toEqual({ files: false, words: [] });
  });

  test('recipes, those that every server has as well', async () => {
    const place = await openWorkplace();
    mkdirSync(join(place.dataDir, 'recipes'), { recursive: true });
    writeFileSync(join(place.dataDir, 'recipes', 'slate.json'), '{"title":"Slate","settings":{}}');
    const here = { files: true, words: ['slack-export', 'slate'] };
    const offers = async (...typed: readonly string[]) => {
      const { words, ...rest } = await offered(place, ...typed);
      return { ...rest, words: words.toSorted() };
    };
    expect(await offers('import', '--recipe', 'sla')).toEqual(here);
    expect(await offers('recipes', 'show', 'sla')).toEqual(here);
    const there = { files: true, words: ['slack-export'] };
    expect(await offers('import', '--server', 'http://127.0.0.1:1', '--recipe', 'sla')).toEqual(there);
    place.env['ROLLCALL_SERVER'] = 'http://127.0.0.1:1';
    expect(await offers('import', '--recipe', 'sla')).toEqual(there);
    expect(await offers('recipes', 'show', 'sla')).toEqual(here);
    expect(await offers('status', '')).toEqual({ files: false, words: [] });
  });

  test('names of schedules', async () => {
    const place = await openWorkplace();
    const file = place.file('m.csv', members([['g', 'ann']]));
    const added = await place.run([
      'schedule',
      'add',
      'nightly',
      '--cron',
      '30 2 * * *',
      '--file',
      join(place.root, file),
    ]);
    expect([added.code, added.stderr]).toEqual([0, expect.any(String)]);
    expect(await offered(place, 'schedule', 'pause', '')).toEqual({ files: false, words: ['nightly'] });
    expect(await offered(place, 'schedule', 'add', '')).toEqual({ files: false, words: [] });
  });
});

test('bash completes with the script that rollcall prints, and runs nothing of what is typed', async () => {
  const place = await openWorkplace();
  place.file('bin/rollcall', `#!/bin/sh\nexec '${process.execPath}' '${LAUNCHER}' "$@"\n`);
  chmodSync(join(place.root, 'bin/rollcall'), 0o755);
  const script = `
    source <(rollcall completion bash) || exit 1
    complete_line() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rollcall; echo "\${COMPREPLY[*]}"; }
    complete_line rollcall sche
    complete_line rollcall report --format h
    complete_line rollcall import '$(touch ran)' --sandbox-f
  `;
  const env = { ...place.env, PATH: `${join(place.root, 'bin')}:${place.env['PATH']}` };
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: place.root, env });
  expect(stdout.split('\n')).toEqual(['schedule', 'html', '--sandbox-faults', '']);
  expect(existsSync(join(place.root, 'ran'))).toBe(false);
});
