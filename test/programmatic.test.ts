import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type ImportChoices, readReport, runImport } from '../src/index.ts';
import type { SandboxOptions } from '../src/sandbox/sandbox.ts';
import { openSandboxPlace } from './cli/workplace.ts';

/** `import { runImport } from 'rollcall'`: it does what `rollcall import` does, also where nobody chose anything. */

type Place = Awaited<ReturnType<typeof openSandboxPlace>>;

const BANNING: SandboxOptions = {
  users: 'any',
  groups: 'any',
  seed: { regions: { us: { members: { team: { usersToBan: ['bad'] } } } } },
};

const inPlace = (place: Place, name: string, text: string) => join(place.root, place.file(name, text));

const settingsOf = ({ env, root }: Place) => ({ env, dataDir: join(root, 'data') });

/** Outcome and code of each row, in the order of the file. */
async function outcomesOf(place: Place, file: string, choices: ImportChoices = {}): Promise<string[]> {
  const { id, finished } = await runImport(file, { ...settingsOf(place), ...choices });
  await finished;
  const outcomes: string[] = [];
  for await (const { _guid, _status, _code } of readReport(id, settingsOf(place))) {
    outcomes.push(`${_guid}: ${_status} ${_code}`.trim());
  }
  return outcomes;
}

const rejection = async (choices: ImportChoices) =>
  runImport(import.meta.filename, { sandbox: true, ...choices }).then(
    () => 'nothing was wrong',
    (error: Error) => error.message,
  );

describe('an import that a program starts', () => {
  test('leaves bans alone, unless the program says otherwise', async () => {
    const place = await openSandboxPlace(BANNING);
    const file = inPlace(place, 'm.csv', 'uid,guid\nann,team\nbad,team\n');
    expect(await outcomesOf(place, file)).toEqual(['team: added', 'team: failed BANNED']);
    expect(place.sandbox.members('us', 'team').get('bad')).toBe('ban');
    expect((await outcomesOf(place, file, { allowUnban: true }))[1]).toBe('team: added BAN_LIFTED');
  });

  test('reads the file as a recipe says, with the identity file that it needs', async () => {
    const place = await openSandboxPlace();
    const sample = (name: string) =>
      fileURLToPath(new URL(`../samples/recipes/google-groups/${name}`, import.meta.url));
    const file = sample('members.csv');
    const outcomes = await outcomesOf(place, file, {
      recipe: 'google-groups',
      identities: sample('people.csv'),
      guid: 'choir',
    });
    expect(outcomes[0]).toBe('choir: added');
    const unknown = runImport(file, { ...settingsOf(place), recipe: 'gogle-groups' });
    await expect(unknown).rejects.toMatchObject({ code: 'UNKNOWN_RECIPE' });
  });

  test('takes up to as many errors as it may have', async () => {
    const place = await openSandboxPlace();
    const file = inPlace(place, 'm.csv', `uid,guid\n${'a b,team\n'.repeat(3)}ann,team\n`);
    const { finished } = await runImport(file, { ...settingsOf(place), maxErrors: { rows: 2 } });
    expect(await finished).toMatchObject({ state: 'aborted', rows: { added: 0, invalid: 3, unprocessed: 1 } });
  });
});

describe('what cannot be chosen is refused before anything begins, with its name, its value and what is allowed', () => {
  test.each<[ImportChoices, string]>([
    [{ callsPerMinute: 0 }, 'callsPerMinute is "0"; allowed is a whole number from 1'],
    [{ concurrency: -1 }, 'concurrency is "-1"; allowed is a whole number from 1'],
    [{ region: 'mars' } as unknown as ImportChoices, 'region is "mars": allowed are us, eu, in'],
    [{ scope: 'king' } as unknown as ImportChoices, 'scope is "king": allowed are admin, moderator'],
    [{ maxErrors: '5%' } as unknown as ImportChoices, 'maxErrors is "5%": allowed are { rows: 10 } and { percent: 5 }'],
    [{ createUsers: true } as unknown as ImportChoices, 'there is no choice "createUsers"'],
  ])('%j', async (choices, message) => {
    expect(await rejection(choices)).toContain(message);
  });
});
