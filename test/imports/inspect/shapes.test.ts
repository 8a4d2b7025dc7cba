import { Readable } from 'node:stream';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { withShape } from '../../../src/cli/flags/file-flags.ts';
import { withOptions, withRecipeFlag } from '../../../src/cli/flags/flags.ts';
import { importOptionsOf } from '../../../src/cli/import-file.ts';
import { asFlag } from '../../../src/errors/named-options.ts';
import { inspect } from '../../../src/features/inspect/inspect.ts';
import { builtInRecipes } from '../../../src/features/recipes/recipe-store.ts';
import { useRecipe } from '../../../src/features/recipes/use-recipe.ts';
import { importOptions } from '../../../src/imports/import-options.ts';
import { headOf } from '../../../src/imports/read/beginning.ts';
import { openIntake } from '../../../src/imports/read/intake.ts';
import { isIntakeError } from '../../../src/imports/read/intake-error.ts';
import { READING } from '../../../src/options/reading-options.ts';
import { readConfig } from '../../../src/platform/config.ts';
import { KNOWN } from './exports/known.ts';
import { LATER } from './exports/later.ts';
import { UNSEEN } from './exports/unseen.ts';
import { SHAPES, type Shape } from './shapes.ts';

/**
 * The law of `inspect`: the command that it prints, run as it stands, makes no membership that a person would not expect;
 * where it would have to guess, it asks.
 */

const RECIPES = builtInRecipes();

async function commandFor(content: string): Promise<string | null> {
  const bytes = Buffer.from(content);
  const { command, refusal } = await inspect({
    name: 'f',
    bytes: bytes.length,
    head: await headOf(bytes, undefined),
    open: () => ({ stream: Readable.from([bytes]), name: 'f' }),
    options: importOptions.parse({ region: 'us' }),
    recipes: RECIPES,
    write: asFlag,
  });
  return refusal?.code === 'MORE_PAGES' ? null : command;
}

/** The words of a command as a shell takes it apart, with what only a person can give: a group, a file with UIDs. */
function wordsOf(command: string): string[] {
  const words = command.match(/(?:'(?:[^']|'\\'')*'|[^\s'])+/g) ?? [];
  return words.slice(3).map((word) => (word === '<group>' ? 'G' : word.replaceAll("'", '')));
}

/** The memberships that a command makes; undefined where it is refused. */
async function membersBy(command: string, { content, people = [] }: Shape): Promise<string[] | undefined> {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  withShape(withRecipeFlag(withOptions(program, READING)));
  try {
    program.parse(wordsOf(command), { from: 'user' });
    const flags = program.opts();
    const bytes = Buffer.from(content);
    const chosen = importOptionsOf(readConfig({}), flags);
    const recipe = RECIPES.find(({ name }) => name === flags['recipe']);
    const options =
      recipe === undefined ? chosen : await useRecipe({ recipe, options: chosen, file: { head: bytes }, name: 'f' });
    const known = new Map(people);
    const lookups = { identities: { find: (key: string) => [{ id: known.get(key) ?? key.replace(/@.*/, '') }] } };
    const intake = await openIntake({ stream: Readable.from([bytes]), name: 'f' }, { ...options, lookups });
    const members: string[] = [];
    for await (const rows of intake.chunks()) {
      for (const { guid, uid, scope, problems } of rows)
        if (problems.length === 0) members.push(`${guid}/${uid}${scope === 'participant' ? '' : `/${scope}`}`);
    }
    return members;
  } catch (error) {
    const isRefusal = isIntakeError(error) || (error as { code?: string }).code?.startsWith('commander.');
    if (isRefusal === true) return undefined;
    throw error;
  }
}

const isOpen = (command: string) => /<(?:column|scope|value)>/.test(command);

type Verdict = 'right' | 'open' | 'refused' | 'wrong';

async function verdictOf(shape: Shape): Promise<readonly [Verdict, string]> {
  const { content, members } = shape;
  const command = await commandFor(content);
  const made = command === null ? undefined : await membersBy(command, shape);
  const said = `${command}: ${made?.join(', ') ?? 'refused'}`;
  if (made?.some((member) => !members.includes(member))) return ['wrong', said];
  if (command !== null && (isOpen(command) || made === undefined || made.length === 0)) return ['open', said];
  if (made === undefined) return ['refused', said];
  return [members.some((member) => !made.includes(member)) ? 'wrong' : 'right', said];
}

/** The exports that were collected first, in the same form. */
const EXPORTS = [...KNOWN, ...UNSEEN, ...LATER].map(({ what, content, people = '', right }): [string, Shape] => {
  const members = right === 'open' ? [] : right.split('\n').map(asMember);
  const uids = people
    .split('\n')
    .slice(1)
    .map((line): [string, string] => line.split(',') as [string, string]);
  return [what, { content, is: right === 'open' ? 'open' : 'right', members, people: uids }];
});

/** `g-1 ana participant`, where g-1 is the group that a person names */
function asMember(line: string): string {
  const [guid = '', uid = '', scope = ''] = line.split(' ');
  return `${guid === 'g-1' ? 'G' : guid}/${uid}${scope === 'participant' ? '' : `/${scope}`}`;
}

const ALL = [...Object.entries(SHAPES), ...EXPORTS];

test.each(ALL)('%s', async (_, shape) => {
  const [verdict, said] = await verdictOf(shape);
  expect(verdict, said).toBe(shape.is);
});

test('most shapes are read without a question', () => {
  const score = Object.groupBy(ALL, ([, { is }]) => is);
  expect([score.right?.length, score.open?.length, score.refused?.length]).toEqual([128, 30, 8]);
});
