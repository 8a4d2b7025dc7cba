import { existsSync } from 'node:fs';
import type { Undoing } from '../../../cli/feature.ts';
import type { Imports } from '../../../cli/target/imports.ts';
import { readMade } from '../../../imports/record/created.ts';
import type { Config } from '../../../platform/config.ts';
import { dataDir } from '../../../platform/data-dir.ts';
import type { CreatedView } from '../api.ts';
import { listed } from './created-things.ts';

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
