import { Command } from 'commander';
import { type TagChanges, tagChanges } from '../../api/tags.ts';
import { tagsOf } from '../../imports/catalog.ts';
import { dataDir } from '../../platform/data-dir.ts';
import { inShort, printable } from '../../text/wording.ts';
import { noteHere } from '../audit.ts';
import { UsageError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type CommonFlags, type ServerFlags, withDataDir, withJson, withServer } from '../flags/flags.ts';
import { type Io, say } from '../screen/io.ts';
import { openImports } from '../target/open-imports.ts';

type Flags = CommonFlags & ServerFlags & { readonly remove?: true };

/** `rollcall tag`: adds words to an import by which `rollcall list --tag` finds it, or removes them. */
export function tagCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('tag')
    .argument('<id>', 'import')
    .argument('<tags...>', 'tags to add')
    .option('--remove', 'remove these tags instead');
  return withServer(withDataDir(withJson(command))).action((id: string, words: readonly string[], flags: Flags) =>
    end(tag(io, id, words, flags)),
  );
}

async function tag(io: Io, id: string, words: readonly string[], flags: Flags): Promise<ExitCode> {
  const read = tagChanges.safeParse(flags.remove ? { remove: words } : { add: words });
  if (!read.success) throw new UsageError(`the tags are ${words.join(', ')}; ${read.error.issues[0]?.message}`);
  const { config, imports } = await openImports(flags);
  const changed = (await imports.tag(id, read.data)) ?? (await tagHere(config, id, read.data));
  if (imports.server === undefined) noteHere(dataDir(config.dataDir), 'import.tag', id, inShort(read.data));
  if (flags.json) io.out.write(`${JSON.stringify({ id, tags: changed.tags })}\n`);
  const { tags } = changed;
  say(io, tags.length === 0 ? `Import ${id} has no tags.` : `Tags of import ${id}: ${printable(tags.join(', '))}.`);
  return EXIT.ok;
}

/** No process runs imports: this one owns the data directory for a moment. */
async function tagHere(
  config: Awaited<ReturnType<typeof openImports>>['config'],
  id: string,
  changes: TagChanges,
): Promise<{ readonly tags: readonly string[] }> {
  const [{ ownDataDir }, { openCatalog }, { tagsAfter }, { whenLeft }] = await Promise.all([
    import('../../platform/data-dir.ts'),
    import('../../imports/catalog.ts'),
    import('../../api/tags.ts'),
    import('../../imports/life/control-socket.ts'),
  ]);
  const dir = dataDir(config.dataDir);
  const giveBack = await whenLeft(dir, () => ownDataDir(dir));
  const catalog = openCatalog(dir.catalog);
  try {
    const tags = tagsAfter(tagsOf(catalog.find(id) ?? { tags: '[]' }), changes);
    catalog.setTags(id, JSON.stringify(tags));
    return { tags };
  } finally {
    catalog.close();
    await giveBack();
  }
}
