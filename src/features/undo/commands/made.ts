import { existsSync } from 'node:fs';
import type { Undoing } from '../../../cli/feature.ts';
import type { Imports } from '../../../cli/target/imports.ts';
import { readMade } from '../../../imports/record/created.ts';
import type { Config } from '../../../platform/config.ts';
import { dataDir } from '../../../platform/data-dir.ts';
import { type CreatedView, MAX_MADE } from '../api.ts';
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
  return existsSync(ledger) ? readMade(ledger, MAX_MADE).things : [];
}

export const undoing: Undoing = {
  deleted: async (config, imports, id) => {
    const things = await madeBy(config, imports, id);
    const gone = things.filter(({ undone }) => undone === 'deleted' || undone === 'gone');
    if (gone.length === 0) return '';
    return `${things.length < MAX_MADE ? '' : 'at least '}${listed(gone)}`;
  },
};
