import { type Command, Option } from 'commander';
import { badUsage } from '../../errors/rollcall-error.ts';
import { LIST_FILTERS } from '../../options/row-filter.ts';
import { repeatable } from './once.ts';

/** Filters of `rollcall list` by their flags: texts as the API takes them. */
export interface ListFlags {
  readonly tag?: readonly string[];
  readonly [flag: string]: unknown;
}

/** The parameters of the API, each with its flag. */
const FLAGS = Object.entries(LIST_FILTERS).map(([name, filter]) => ({ flag: name, value: undefined, ...filter, name }));

export function withListFilter(command: Command) {
  for (const { flag, value, help } of FLAGS) {
    if (flag === 'tag') command.addOption(tagFlag(`${help}; may be repeated`));
    else command.option(value === undefined ? `--${flag}` : `--${flag} ${value}`, help);
  }
  return command;
}

/** A flag that may be repeated: each is one tag. */
export function tagFlag(meaning: string) {
  return new Option('--tag <tag>', meaning).argParser(
    repeatable((text: string, before: readonly string[] = []) => [...before, text]),
  );
}

/** @throws BAD_USAGE for an invalid tag */
export async function tagsOf({ tag = [] }: Pick<ListFlags, 'tag'>): Promise<readonly string[]> {
  if (tag.length === 0) return [];
  // Loaded here: what a command checks with zod is loaded when it is given.
  const { tags } = await import('../../api/imports.ts');
  const read = tags.safeParse(tag);
  if (read.success) return [...new Set(read.data)];
  throw badUsage(`--tag is ${tag.join(', ')}; ${read.error.issues[0]?.message}`);
}

/** The filter as the API takes it; undefined where nothing is asked for. */
export type FilterTexts = Readonly<Record<string, string>>;

/** @throws BAD_USAGE for a value that is not allowed */
export async function filterTexts(flags: ListFlags): Promise<FilterTexts | undefined> {
  const given = FLAGS.filter(({ flag }) => flags[flag] !== undefined);
  if (given.length === 0) return undefined;
  const texts = Object.fromEntries(given.map(({ name, flag }) => [name, String(flags[flag])]));
  // Loaded here: a list without a filter does not need it.
  const { importFilter } = await import('../../api/imports.ts');
  const issue = importFilter.safeParse(texts).error?.issues[0];
  if (issue === undefined) return texts;
  const wrong = given.find(({ name }) => name === issue.path[0]);
  throw badUsage(`--${wrong?.flag} is ${JSON.stringify(texts[wrong?.name ?? ''])}; ${issue.message}`);
}
