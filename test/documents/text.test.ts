import { existsSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, CommanderError } from 'commander';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { COMMANDS, loadCommand } from '../../src/cli/commands.ts';
import { isError } from '../../src/errors/rollcall-error.ts';
import { flagsDocument } from '../../tools/flags.ts';
import { blocksOf, commandsOf, DOCUMENTS, rollcallWords, textOf } from './blocks.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('the first page is short', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(150);
});

test('docs/flags.md is as the commands declare their flags; `node tools/flags.ts` writes it', async () => {
  expect(textOf('docs/flags.md')).toBe(await flagsDocument());
});

test.each(DOCUMENTS)('the links of %s lead somewhere', (document) => {
  const dead = [...textOf(document).matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)]
    .map(([, link, source]) => link ?? source ?? '')
    .filter((link) => !/^(https?|mailto):/.test(link))
    .filter((link) => {
      const [path = '', anchor] = link.split('#');
      const file = path === '' ? document : join(dirname(document), path);
      if (!existsSync(join(ROOT, file))) return true;
      return anchor !== undefined && !anchorsOf(textOf(file)).has(anchor);
    });
  expect(dead).toEqual([]);
});

test.each(DOCUMENTS)(
  'each row of a table in %s has as many cells as its header: a bar in a cell ends the cell',
  (document) => {
    const text = textOf(document).replaceAll(/^```.*?^```/gms, '');
    const wrong = [...text.matchAll(/(?:^\|.*\n)+/gm)].flatMap(([table]) => {
      const rows = table.trimEnd().split('\n');
      const cells = (row = '') => row.split(/(?<!\\)\|/).length;
      return rows.filter((row) => cells(row) !== cells(rows[0]));
    });
    expect(wrong).toEqual([]);
  },
);

/** Returns the anchors that GitHub makes of headings. */
function anchorsOf(markdown: string): Set<string> {
  const headings = [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((text) =>
      text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Checks of a block by its language; commands are run by the other tests of this folder. */
const READ: Readonly<Record<string, (text: string) => unknown>> = {
  sh: () => {},
  json: JSON.parse,
  yaml: (text) => parse(text),
  js: (text) => stripTypeScriptTypes(text),
  csv: () => {},
  // What comes out: test/documents/examples.test.ts reads it.
  text: () => {},
  // The test that plays the document asks a database with it.
  sql: () => {},
  // Drawings.
  '': () => {},
};

test.each(DOCUMENTS)('the blocks of %s are in a language that a test reads', (document) => {
  for (const { language, text, place } of blocksOf(document)) {
    const read = READ[language];
    if (read === undefined) throw new Error(`${place}: no test reads ${language}`);
    expect(() => read(text), place).not.toThrow();
  }
});

describe('commands and flags that documents name', () => {
  const flags = new Set<string>();
  beforeAll(async () => {
    for (const name of Object.keys(COMMANDS)) for (const one of withCommands(await commandOf(name))) note(one);
  });
  function note(command: Command): void {
    for (const { long, short } of command.options) for (const flag of [long, short]) if (flag) flags.add(flag);
  }

  test.each(DOCUMENTS)('exist: %s', async (document) => {
    const inBlocks = blocksOf(document).flatMap(({ language, text }) => (language === 'sh' ? commandsOf(text) : []));
    const inText = [...withoutBlocks(document).matchAll(/(?<!`)`((?:npx )?rollcall [^`]+)`(?!`)/g)].map(
      ([, code = '']) => code,
    );
    const wrong: string[] = [];
    for (const command of inBlocks) wrong.push(...(await refusals(command, () => true)));
    // In a sentence, values are examples such as URL, or are left out.
    for (const command of inText) wrong.push(...(await refusals(command.replaceAll('\n', ' '), isUnknown)));
    if (document === ABOUT_V8) return;
    for (const [, flag = ''] of withoutBlocks(document).matchAll(/(?<!`)`(--[a-z][a-z-]+)\b[^`]*`(?!`)/g)) {
      if (!flags.has(flag) && flag !== '--help') wrong.push(flag);
    }
    expect(wrong).toEqual([]);
  });
});

/** Its flags are Node's. */
const ABOUT_V8 = 'docs/scale.md';

/** Words in place of values, such as `name=value`, are no mistakes. */
const isUnknown = (error: unknown) =>
  !(error instanceof CommanderError && /Argument$/.test(error.code)) && !isError(error, 'BAD_BEHAVIOUR');

const withoutBlocks = (document: string) => textOf(document).replaceAll(/^```.*?^```$/gms, '');

/** Returns the reasons why a command line does not exist; none if it does, or is not rollcall's. */
async function refusals(line: string, counts: (error: unknown) => boolean): Promise<string[]> {
  const words = rollcallWords(line.replaceAll(/<[^>]*>|…/g, 'x').replaceAll(/ [|&>].*/g, ''));
  const [name = '', ...rest] = words ?? [];
  if (words === undefined || name.startsWith('-') || name === 'help') return [];
  if (!Object.hasOwn(COMMANDS, name)) return [`${line}: there is no command ${name}`];
  let command = await commandOf(name);
  while (command.commands.length > 0) {
    const sub = command.commands.find((one) => one.name() === rest[0]);
    if (sub === undefined) break;
    rest.shift();
    command = sub;
  }
  try {
    const { unknown } = command
      .exitOverride()
      .configureOutput({ writeErr: () => {} })
      .parseOptions(rest);
    const strange = unknown.filter((word) => word !== '--help');
    return strange.length === 0 ? [] : [`${line}: there is no ${strange.join(' ')}`];
  } catch (error) {
    return counts(error) ? [`${line}: ${error instanceof Error ? error.message : error}`] : [];
  }
}

const withCommands = (command: Command): Command[] => [command, ...command.commands.flatMap(withCommands)];

async function commandOf(name: string): Promise<Command> {
  const command = await loadCommand(name);
  if (command === undefined) throw new Error(name);
  return command;
}
