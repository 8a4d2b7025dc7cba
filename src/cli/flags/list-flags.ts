import { type Command, Option } from 'commander';
import { IMPORT_KINDS } from '../../membership/import-kind.ts';
import { IMPORT_STATES } from '../../membership/import-state.ts';
import { UsageError } from '../usage-error.ts';
import { repeatable } from './once.ts';

/** Filters of `rollcall list`: texts as the API takes them. */
export interface ListFlags {
  readonly search?: string;
  readonly state?: string;
  readonly kind?: string;
  readonly from?: string;
  readonly to?: string;
  readonly by?: string;
  readonly tag?: readonly string[];
  readonly problems?: true;
}

export function withListFilter(command: Command): Command {
  return command
    .option('--search <text>', 'only imports with this in their file name, id, reason or tags')
    .option('--state <states>', `only these states, with commas: ${IMPORT_STATES.join(', ')}`)
    .option('--kind <kinds>', `only these kinds, with commas: ${IMPORT_KINDS.join(', ')}`)
    .option('--from <day>', 'only imports of this day (UTC) or later; also a time in ISO 8601')
    .option('--to <day>', 'only imports of this day (UTC) or earlier; also a time in ISO 8601')
    .option('--by <name>', 'only imports that this person or token started')
    .addOption(tagFlag('only imports with this tag; may be repeated'))
    .option('--problems', 'only imports that stopped, or ended with rows that need attention');
}

/** A flag that may be repeated: each is one tag. */
export function tagFlag(meaning: string): Option {
  return new Option('--tag <tag>', meaning).argParser(
    repeatable((text: string, before: readonly string[] = []) => [...before, text]),
  );
}

/** @throws UsageError for an invalid tag */
export async function tagsOf({ tag = [] }: Pick<ListFlags, 'tag'>): Promise<readonly string[]> {
  if (tag.length === 0) return [];
  // Loaded here: what a command checks with zod is loaded when it is given.
  const { tags } = await import('../../api/tags.ts');
  const read = tags.safeParse(tag);
  if (read.success) return [...new Set(read.data)];
  throw new UsageError(`--tag is ${tag.join(', ')}; ${read.error.issues[0]?.message}`);
}

/** The filter as the API takes it; undefined where nothing is asked for. */
export type FilterTexts = Readonly<Record<string, string>>;

/** @throws UsageError for a value that is not allowed */
export async function filterTexts(flags: ListFlags): Promise<FilterTexts | undefined> {
  const { search, state, kind, from, to, by, tag = [], problems } = flags;
  const given: Readonly<Record<string, string | undefined>> = {
    ...{ search, state, kind, from, to },
    createdBy: by,
    tags: tag.length === 0 ? undefined : tag.join(','),
    problems: problems === true ? 'true' : undefined,
  };
  const texts = Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  if (Object.keys(texts).length === 0) return undefined;
  // Loaded here: a list without a filter does not need it.
  const { importFilter } = await import('../../api/imports.ts');
  const read = importFilter.safeParse(texts);
  const issue = read.error?.issues[0];
  if (issue !== undefined) {
    const name = String(issue.path[0]);
    throw new UsageError(`${FLAGS[name] ?? `--${name}`} is ${JSON.stringify(texts[name])}; ${issue.message}`);
  }
  return texts;
}

const FLAGS: Readonly<Record<string, string>> = { createdBy: '--by', tags: '--tag' };
