import { existsSync } from 'node:fs';
import type { Undoing } from '../../../cli/feature.ts';
import type { Imports } from '../../../cli/target/import-place.ts';
import { readMade } from '../../../imports/record/created.ts';
import type { Config } from '../../../platform/config.ts';
import { dataDir } from '../../../platform/data-dir.ts';
import { counted } from '../../../text/wording.ts';
import type { CreatedView } from '../api.ts';

/** Users and groups that an import created, as they are shown before and after they are deleted. */

type Thing = Pick<CreatedView['things'][number], 'kind' | 'region' | 'name' | 'why'>;

const SHOWN = 50;

/** "  user ann (us)", or why it is kept. */
export function linesOf(things: readonly Thing[]): string[] {
  const lines = things
    .slice(0, SHOWN)
    .map(({ kind, name, region, why }) => `  ${kind} ${name} (${region})${why === '' ? '' : `, kept: ${why}`}`);
  return things.length > SHOWN ? [...lines, `  … and ${things.length - SHOWN} more`] : lines;
}

/** "1 group and 2 users" */
export function listed(things: readonly Pick<Thing, 'kind'>[]): string {
  const count = (wanted: Thing['kind']) => things.filter(({ kind }) => kind === wanted).length;
  const parts = (['group', 'user'] as const).flatMap((kind) => (count(kind) > 0 ? [counted(count(kind), kind)] : []));
  return parts.length === 0 ? 'Nothing' : parts.join(' and ');
}

/** Users and groups that an import created or made active again; at most MAX_MADE. */
export async function madeBy(
  { dataDir: root }: Pick<Config, 'dataDir'>,
  { server }: Pick<Imports, 'server'>,
  id: string,
): Promise<readonly Omit<CreatedView['things'][number], 'isUsed'>[]> {
  if (server !== undefined) {
    const { createdOperations } = await import('../operations.ts');
    return (await server.call(createdOperations.list, { id })).things;
  }
  const ledger = dataDir(root).ledger(id);
  if (!existsSync(ledger)) return [];
  const { MAX_MADE } = await import('../api.ts');
  return readMade(ledger, MAX_MADE).things;
}

export const undoing: Undoing = {
  deleted: async (config, imports, id) => {
    const things = await madeBy(config, imports, id);
    const gone = things.filter(({ undone }) => undone === 'deleted' || undone === 'gone');
    if (gone.length === 0) return '';
    const { MAX_MADE } = await import('../api.ts');
    return `${things.length < MAX_MADE ? '' : 'at least '}${listed(gone)}`;
  },
};
