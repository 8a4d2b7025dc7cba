import { readFileSync, writeFileSync } from 'node:fs';
import { type Command, Help, type Option } from 'commander';
import { COMMANDS, loadCommand } from '../src/cli/commands.ts';
import { settingsTable } from './settings-table.ts';

/**
 * docs/flags.md, made from the declarations of the commands, and the table of docs/settings.md: `npm run build` writes them, as
 * `node tools/flags.ts` does alone, and tests compare. A flag that several commands declare in the same words is explained once.
 */

const help = new Help();

interface Chapter {
  /** Such as `schedule add`. */
  readonly name: string;
  readonly command: Command;
  readonly flags: readonly Option[];
}

export async function flagsDocument(): Promise<string> {
  const chapters: Chapter[] = [];
  for (const [name, entry] of Object.entries(COMMANDS)) {
    if (entry.hidden) continue;
    const command = await loadCommand(name);
    chapters.push(...chaptersOf(name, (command as Command).description(entry.description)));
  }
  const users = Map.groupBy(
    chapters.flatMap(({ name, flags }) => flags.map((flag) => ({ name, meaning: meaningOf(flag) }))),
    ({ meaning }) => meaning,
  );
  const isShared = (flag: Option) => (users.get(meaningOf(flag)) ?? []).length > 1;
  const shared = [...users]
    .filter(([, names]) => names.length > 1)
    .map(([meaning, names]) => `${meaning} ${names.map(({ name }) => name).join(', ')} |`);
  const parts = [
    '# Commands and their flags',
    'Made from the declarations of the commands; `rollcall help <command>` shows one of them. [settings.md](settings.md) has what can also be set by the environment or a file.',
    ...chapters.map((chapter) => chapterText(chapter, isShared)),
    '## Flags of several commands',
    ['| flag | meaning | commands |', '| --- | --- | --- |', ...shared].join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}

function chaptersOf(name: string, command: Command): Chapter[] {
  const flags = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  const below = help.visibleCommands(command).filter((one) => one.name() !== 'help');
  return [{ name, command, flags }, ...below.flatMap((one) => chaptersOf(`${name} ${one.name()}`, one))];
}

function chapterText({ name, command, flags }: Chapter, isShared: (flag: Option) => boolean): string {
  const args = command.registeredArguments;
  const usage = [name, ...args.map((argument) => argumentOf(argument.name(), argument))].join(' ');
  const own = flags.filter((flag) => !isShared(flag)).map(meaningOf);
  const others = flags.filter(isShared).map(({ long, short }) => `\`${long ?? short}\``);
  const explained = args.filter(({ description }) => description !== '');
  const meanings = explained.map((argument) => `- \`${argument.name()}\`: ${text(help.argumentDescription(argument))}`);
  return [
    `## ${name}`,
    `\`rollcall ${usage}\`: ${text(command.description())}.`,
    meanings.join('\n'),
    own.length === 0 ? '' : ['| flag | meaning |', '| --- | --- |', ...own].join('\n'),
    others.length === 0 ? '' : `With others ([below](#flags-of-several-commands)): ${others.join(', ')}.`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function argumentOf(name: string, { required, variadic }: { required: boolean; variadic: boolean }): string {
  const many = `${name}${variadic ? '...' : ''}`;
  return required ? `<${many}>` : `[${many}]`;
}

/** The first two cells of its row. */
function meaningOf(option: Option): string {
  const cells = [`\`${help.optionTerm(option)}\``, text(help.optionDescription(option))];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** Outside of code, what would be a tag or emphasis stays text. */
function text(plain: string): string {
  return plain.replaceAll(/`[^`]*`|[<*]/g, (part) => (part.startsWith('`') ? part : `\\${part}`));
}

export async function writeFlags(): Promise<void> {
  writeFileSync(new URL('../docs/flags.md', import.meta.url), await flagsDocument());
  const settings = new URL('../docs/settings.md', import.meta.url);
  const table = /^\| setting \| meaning \| default \|\n(\|.*\n)*/m;
  writeFileSync(
    settings,
    readFileSync(settings, 'utf8').replace(table, () => `${settingsTable()}\n`),
  );
}

if (import.meta.main) await writeFlags();
