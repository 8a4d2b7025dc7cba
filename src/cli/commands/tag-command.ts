import { Command } from 'commander';
import { importOperations } from '../../api/operations/import-operations.ts';
import { tagChanges } from '../../api/tags.ts';
import { printable } from '../../text/wording.ts';
import { openImports } from '../client/open-imports.ts';
import { remedyFor, ServerRefused } from '../client/server-errors.ts';
import { type End, EXIT, type ExitCode } from '../exit-codes.ts';
import { type CommonFlags, type ServerFlags, withDataDir, withJson, withServer } from '../flags/flags.ts';
import { type Io, say } from '../screen/io.ts';
import { UsageError } from '../usage-error.ts';

type Flags = CommonFlags & ServerFlags & { readonly remove?: true };

/** `rollcall tag`: adds words to an import by which `rollcall list --tag` finds it, or removes them. */
export function tagCommand(io: Io, end: End): Command {
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
  const { imports } = await openImports(flags);
  await imports.one(id);
  const { results } = await imports.client.call(importOperations.act, { action: 'tag', ids: [id], tags: read.data });
  const problem = results[0]?.problem;
  if (problem !== undefined) {
    const { code, detail, remedy } = problem;
    throw new ServerRefused(code, detail, remedyFor(code, remedy));
  }
  const { tags } = await imports.one(id);
  if (flags.json) io.out.write(`${JSON.stringify({ id, tags })}\n`);
  say(io, tags.length === 0 ? `Import ${id} has no tags.` : `Tags of import ${id}: ${printable(tags.join(', '))}.`);
  return EXIT.ok;
}
