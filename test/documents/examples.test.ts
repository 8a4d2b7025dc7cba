import { describe, expect, test } from 'vitest';
import { openSandboxPlace } from '../cli/workplace.ts';
import { blocksOf, commandsOf, rollcallWords, textOf } from './blocks.ts';

/** Examples of documents: what goes in, the command, and what comes out. */

const PAGE = 'docs/shaping.md';

interface Example {
  readonly file: readonly string[];
  readonly flags: string;
  readonly memberships: readonly string[];
}

const EXAMPLES = blocksOf(PAGE)
  .filter(({ text }) => text.startsWith('m.csv'))
  .flatMap(({ text }) => {
    const [head = '', ...lines] = text.trimEnd().split('\n');
    const [flagsAt, membershipsAt] = [head.indexOf('flags'), head.indexOf('memberships')];
    return lines
      .join('\n')
      .split('\n\n')
      .map((one): Example => {
        const columns = (from: number, to?: number) =>
          one.split('\n').flatMap((line) => line.slice(from, to).trim() || []);
        return {
          file: columns(0, flagsAt),
          flags: columns(flagsAt, membershipsAt).join(' '),
          memberships: columns(membershipsAt),
        };
      });
  });

/** Files that the page shows, by the names with which their paragraphs begin. */
const BESIDE = [...textOf(PAGE).matchAll(/^`(\w+\.csv)`, a.*?```csv\n(.*?)^```$/gms)].map(
  ([, name = '', text = '']) => [name, text] as const,
);

test('there are examples, with the files that they name', () => {
  expect(EXAMPLES.length).toBeGreaterThan(10);
  expect(BESIDE.map(([name]) => name)).toEqual(['people.csv', 'groups.csv']);
});

describe('the memberships of an example are those of the page', () => {
  test.each(EXAMPLES.map((example) => [example.flags, example] as const))('%s', async (flags, example) => {
    const place = await openSandboxPlace();
    for (const [name, text] of BESIDE) place.file(name, text);
    place.file('m.csv', `${example.file.join('\n')}\n`);
    const words = rollcallWords(`rollcall import m.csv ${flags} --dry-run`);
    const { code, stderr } = await place.run(words ?? []);
    expect(code, stderr).toBe(0);
    const { stdout } = await place.run(['report', '--format', 'ndjson']);
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>);
    const memberships = rows.flatMap(({ _guid, _uid, _scope, _status }) =>
      _status === 'skipped' ? [] : [[_guid, _uid, ...(_scope === 'participant' ? [] : [_scope])].join(' ')],
    );
    expect(memberships).toEqual(example.memberships);
  });
});

test('the plan of docs/sync.md is that of its file', async () => {
  const [file, command, plan] = ['csv', 'sh', 'text'].map(
    (wanted) => blocksOf('docs/sync.md').find(({ language }) => language === wanted)?.text ?? '',
  );
  const members = { team: { admins: ['ann'], participants: ['ben', 'dan'] } };
  const users = ['ann', 'ben', 'cem', 'dan'];
  const place = await openSandboxPlace({ seed: { regions: { us: { users, groups: ['team'], members } } } });
  place.file('members.csv', file ?? '');
  const words = rollcallWords(commandsOf(command ?? '')[0] ?? '');
  const { stdout } = await place.run(words ?? []);
  expect(stdout.trim()).toBe(plan?.trim());
});
